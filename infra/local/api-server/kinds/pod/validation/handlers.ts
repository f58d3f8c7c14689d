import type { FieldError } from '../../../errors/field-error.ts';
import { forbidden, invalid, required } from '../../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../json/value.ts';
import { misnamed, negative, portErrors, unlisted } from '../../../objects/field-rules.ts';
import { headerName } from '../../../objects/names.ts';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Validates the probes and hooks of a container; `grace` is its termination grace period. */
export function handlersErrors(container: JsonObject, path: string, grace: number): FieldError[] {
  return [
    ...['postStart', 'preStop'].flatMap((name) => {
      const hook = objectAt(container, 'lifecycle')[name];
      return isObject(hook) ? handlerErrors(hook, `${path}.lifecycle.${name}`, grace) : [];
    }),
    ...probes.flatMap((name) => {
      const probe = container[name];
      return isObject(probe) ? probeErrors(probe, name, { path: `${path}.${name}`, grace }) : [];
    }),
  ];
}

/** Refuses probes and hooks of init containers, except those of sidecars (restartable init containers). */
export function initOnlyErrors(container: JsonObject, path: string, grace: number): FieldError[] {
  if (container.restartPolicy === 'Always') return handlersErrors(container, path, grace);
  const why = 'may not be set for init containers without restartPolicy=Always';
  return ['lifecycle', ...probes]
    .filter((name) => container[name] !== undefined)
    .map((name) => forbidden(`${path}.${name}`, why));
}

const countFields = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

function probeErrors(
  probe: JsonObject,
  name: (typeof probes)[number],
  { path, grace }: { readonly path: string; readonly grace: number },
): FieldError[] {
  const own = numberAt(probe, 'terminationGracePeriodSeconds');
  const isReadiness = name === 'readinessProbe';
  const wrongGrace = (why: string): FieldError =>
    invalid(`${path}.terminationGracePeriodSeconds`, own, why);
  const once = invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1');
  return [
    ...handlerErrors(probe, path, grace),
    ...negative(probe, path, countFields),
    ...(own !== undefined && own <= 0 ? [wrongGrace('must be greater than 0')] : []),
    ...(own !== undefined && isReadiness
      ? [wrongGrace('must not be set for readinessProbes')]
      : []),
    ...(isReadiness || probe.successThreshold === 1 ? [] : [once]),
  ];
}

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function handlerErrors(handler: JsonObject, path: string, grace: number): FieldError[] {
  const [first, ...others] = handlers.filter((one) => isObject(handler[one]));
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...actionErrors(first, objectAt(handler, first), { path: `${path}.${first}`, grace }),
    ...others.map((other) =>
      forbidden(`${path}.${other}`, 'may not specify more than 1 handler type'),
    ),
  ];
}

function actionErrors(
  handler: (typeof handlers)[number],
  action: JsonObject,
  { path, grace }: { readonly path: string; readonly grace: number },
): FieldError[] {
  switch (handler) {
    case 'exec':
      return listAt(action, 'command').length === 0 ? [required(`${path}.command`)] : [];
    case 'httpGet':
      return [
        ...(textAt(action, 'path') === '' ? [required(`${path}.path`)] : []),
        ...portErrors(action.port, `${path}.port`),
        ...unlisted(action.scheme, `${path}.scheme`, ['HTTP', 'HTTPS']),
        ...objectsAt(action, 'httpHeaders').flatMap((header) =>
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
}
