import type { FieldError } from '../errors/errors.ts';
import { dnsLabel } from '../objects/names.ts';
import { isMap, type JsonMap, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { duplicate, forbidden, invalid, required } from '../schema/field-error.ts';
import { parseQuantity } from '../schema/quantity-form.ts';

/** What is wrong with a pod template, as far as a workload's writer can get it wrong. */
export const podTemplateErrors = (
  template: JsonMap,
  path: string,
  claims: readonly JsonMap[] = [],
): FieldError[] => podSpecErrors(mapAt(template, 'spec'), `${path}.spec`, claims);

/** A claim template of a StatefulSet gives its pods a volume of its name. */
export const podSpecErrors = (
  spec: JsonMap,
  path: string,
  claims: readonly JsonMap[] = [],
): FieldError[] => {
  const containers = mapsAt(spec, 'containers');
  const volumes = new Set([
    ...mapsAt(spec, 'volumes').map((volume) => textAt(volume, 'name')),
    ...claims.map((claim) => textAt(mapAt(claim, 'metadata'), 'name')),
  ]);
  const names = containers.map((container) => textAt(container, 'name'));
  return [
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containers.flatMap((container, index) =>
      containerErrors(container, `${path}.containers[${index}]`, volumes),
    ),
    ...names.flatMap((name, index) =>
      name !== '' && names.indexOf(name) < index
        ? [duplicate(`${path}.containers[${index}].name`, name)]
        : [],
    ),
  ];
};

const containerErrors = (
  container: JsonMap,
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] => {
  const name = textAt(container, 'name');
  return [
    ...(name === ''
      ? [required(`${path}.name`)]
      : dnsLabel(name).map((why) => invalid(`${path}.name`, name, why))),
    ...(textAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
    ...requestErrors(mapAt(container, 'resources'), `${path}.resources.requests`),
    ...mapsAt(container, 'ports').flatMap((port, index) =>
      portErrors(port, `${path}.ports[${index}]`),
    ),
    ...mapsAt(container, 'env').flatMap((variable, index) =>
      variableErrors(variable, `${path}.env[${index}]`),
    ),
    ...mapsAt(container, 'volumeMounts').flatMap((mount, index) =>
      mountErrors(mount, `${path}.volumeMounts[${index}]`, volumes),
    ),
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe) =>
      isMap(container[probe]) ? handlerErrors(container[probe], `${path}.${probe}`) : [],
    ),
  ];
};

const requestErrors = (resources: JsonMap, path: string): FieldError[] =>
  Object.entries(mapAt(resources, 'requests')).flatMap(([name, request]) => {
    const limit = mapAt(resources, 'limits')[name];
    if (limit === undefined || !isMore(String(request), String(limit))) return [];
    return [invalid(path, request, `must be less than or equal to ${name} limit of ${limit}`)];
  });

const isMore = (one: string, other: string): boolean => {
  const [a, b] = [parseQuantity(one), parseQuantity(other)];
  const shared = Math.min(a.exponent, b.exponent);
  const amount = ({ digits, exponent, negative }: typeof a): bigint =>
    digits * 10n ** BigInt(exponent - shared) * (negative ? -1n : 1n);
  return amount(a) > amount(b);
};

export const PORT_RANGE = 'must be between 1 and 65535, inclusive';

export const isPort = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1 && value <= 65535;

const portErrors = ({ containerPort, protocol }: JsonMap, path: string): FieldError[] => [
  ...(isPort(containerPort) ? [] : [invalid(`${path}.containerPort`, containerPort, PORT_RANGE)]),
  ...(protocol === undefined || ['TCP', 'UDP', 'SCTP'].includes(String(protocol))
    ? []
    : [
        {
          reason: 'FieldValueNotSupported',
          field: `${path}.protocol`,
          message: `Unsupported value: ${JSON.stringify(protocol)}: supported values: "SCTP", "TCP", "UDP"`,
        },
      ]),
];

const variableErrors = (variable: JsonMap, path: string): FieldError[] => {
  const { value, valueFrom } = variable;
  const sources = isMap(valueFrom) ? Object.keys(valueFrom) : [];
  return [
    ...(textAt(variable, 'name') === '' ? [required(`${path}.name`)] : []),
    ...(value !== undefined && value !== '' && sources.length > 0
      ? [invalid(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty')]
      : []),
    ...(sources.length > 1
      ? [invalid(`${path}.valueFrom`, '', 'may not have more than one field specified at a time')]
      : []),
    ...(isMap(valueFrom) && sources.length === 0
      ? [
          invalid(
            `${path}.valueFrom`,
            '',
            'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
          ),
        ]
      : []),
  ];
};

const mountErrors = (mount: JsonMap, path: string, volumes: ReadonlySet<string>): FieldError[] => {
  const name = textAt(mount, 'name');
  if (name === '') return [required(`${path}.name`)];
  const known = volumes.has(name);
  return [
    ...(known
      ? []
      : [
          {
            reason: 'FieldValueNotFound',
            field: `${path}.name`,
            message: `Not found: ${JSON.stringify(name)}`,
          },
        ]),
    ...(textAt(mount, 'mountPath') === '' ? [required(`${path}.mountPath`)] : []),
  ];
};

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

const handlerErrors = (probe: JsonMap, path: string): FieldError[] => {
  const given = HANDLERS.filter((handler) => probe[handler] !== undefined);
  if (given.length === 0) return [required(path, 'must specify a handler type')];
  return given
    .slice(1)
    .map((handler) => forbidden(`${path}.${handler}`, 'may not specify more than 1 handler type'));
};
