import type { FieldError } from '../../errors/errors.ts';
import { headerName } from '../../objects/names.ts';
import {
  isMap,
  type JsonMap,
  listAt,
  mapAt,
  mapsAt,
  numberAt,
  textAt,
} from '../../objects/object.ts';
import { forbidden, invalid, required } from '../../schema/field-error.ts';
import { misnamed, negative, portErrors, unlisted } from '../bounds.ts';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** What is wrong with the probes and hooks of a container; `grace` is how long it may take to end. */
export const handlersErrors = (container: JsonMap, path: string, grace: number): FieldError[] => [
  ...['postStart', 'preStop'].flatMap((name) => {
    const hook = mapAt(container, 'lifecycle')[name];
    return isMap(hook) ? handlerErrors(hook, `${path}.lifecycle.${name}`, grace) : [];
  }),
  ...PROBES.flatMap((name) => {
    const probe = container[name];
    return isMap(probe) ? probeErrors(probe, name, { path: `${path}.${name}`, grace }) : [];
  }),
];

/** Containers that run before the others have none of these. */
export const initOnlyErrors = (container: JsonMap, path: string, grace: number): FieldError[] => {
  if (container.restartPolicy === 'Always') return handlersErrors(container, path, grace);
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

const probeErrors = (
  probe: JsonMap,
  name: (typeof PROBES)[number],
  { path, grace }: { readonly path: string; readonly grace: number },
): FieldError[] => {
  const own = numberAt(probe, 'terminationGracePeriodSeconds');
  const isReadiness = name === 'readinessProbe';
  const wrongGrace = (why: string): FieldError =>
    invalid(`${path}.terminationGracePeriodSeconds`, own, why);
  const once = invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1');
  return [
    ...handlerErrors(probe, path, grace),
    ...negative(probe, path, COUNTS),
    ...(own !== undefined && own <= 0 ? [wrongGrace('must be greater than 0')] : []),
    ...(own !== undefined && isReadiness
      ? [wrongGrace('must not be set for readinessProbes')]
      : []),
    ...(isReadiness || probe.successThreshold === 1 ? [] : [once]),
  ];
};

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

const handlerErrors = (handler: JsonMap, path: string, grace: number): FieldError[] => {
  const [first, ...others] = HANDLERS.filter((one) => isMap(handler[one]));
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...actionErrors(first, mapAt(handler, first), { path: `${path}.${first}`, grace }),
    ...others.map((other) =>
      forbidden(`${path}.${other}`, 'may not specify more than 1 handler type'),
    ),
  ];
};

const actionErrors = (
  handler: (typeof HANDLERS)[number],
  action: JsonMap,
  { path, grace }: { readonly path: string; readonly grace: number },
): FieldError[] => {
  switch (handler) {
    case 'exec':
      return listAt(action, 'command').length === 0 ? [required(`${path}.command`)] : [];
    case 'httpGet':
      return [
        ...(textAt(action, 'path') === '' ? [required(`${path}.path`)] : []),
        ...portErrors(action.port, `${path}.port`),
        ...unlisted(action.scheme, `${path}.scheme`, ['HTTP', 'HTTPS']),
        ...mapsAt(action, 'httpHeaders').flatMap((header) =>
          misnamed(textAt(header, 'name'), `${path}.httpHeaders`, headerName),
        ),
      ];
    case 'sleep': {
      const seconds = numberAt(action, 'seconds') ?? 0;
      const why = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
      return seconds < 0 || seconds > grace ? [invalid(path, seconds, why)] : [];
    }
    default:
      return portErrors(action.port, `${path}.port`);
  }
};
