import type { FieldError } from '../errors/errors.ts';
import { isMap, type JsonMap, listAt, textAt } from '../objects/object.ts';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { negative, portErrors } from './bounds.ts';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** What is wrong with the probes of a container. */
export const probeErrors = (container: JsonMap, path: string): FieldError[] =>
  PROBES.flatMap((name) => {
    const probe = container[name];
    if (!isMap(probe)) return [];
    const field = `${path}.${name}`;
    const isOnce = name === 'readinessProbe' || probe.successThreshold === 1;
    return [
      ...handlerErrors(probe, field),
      ...negative(probe, field, COUNTS),
      ...(isOnce
        ? []
        : [invalid(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1')]),
    ];
  });

/** Containers that run before the others have none of these. */
export const initOnlyErrors = (container: JsonMap, path: string): FieldError[] => {
  if (container.restartPolicy === 'Always') return probeErrors(container, path);
  const why = 'may not be set for init containers without restartPolicy=Always';
  return ['lifecycle', ...PROBES]
    .filter((name) => container[name] !== undefined)
    .map((name) => forbidden(`${path}.${name}`, why));
};

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;

const handlerErrors = (probe: JsonMap, path: string): FieldError[] => {
  const [first, ...others] = HANDLERS.filter((handler) => probe[handler] !== undefined);
  if (first === undefined) return [required(path, 'must specify a handler type')];
  const action = probe[first];
  return [
    ...(isMap(action) ? actionErrors(first, action, `${path}.${first}`) : []),
    ...others.map((other) =>
      forbidden(`${path}.${other}`, 'may not specify more than 1 handler type'),
    ),
  ];
};

const SCHEMES = ['HTTP', 'HTTPS'];

const actionErrors = (
  handler: (typeof HANDLERS)[number],
  action: JsonMap,
  path: string,
): FieldError[] => {
  if (handler === 'exec') {
    return listAt(action, 'command').length === 0 ? [required(`${path}.command`)] : [];
  }
  if (handler !== 'httpGet') return portErrors(action.port, `${path}.port`);
  const { scheme } = action;
  return [
    ...(textAt(action, 'path') === '' ? [required(`${path}.path`)] : []),
    ...portErrors(action.port, `${path}.port`),
    ...(SCHEMES.includes(String(scheme))
      ? []
      : [notSupported(`${path}.scheme`, scheme ?? '', SCHEMES)]),
  ];
};
