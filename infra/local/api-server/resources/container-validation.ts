import type { FieldError } from '../errors/errors.ts';
import { dnsLabel, portName } from '../objects/names.ts';
import { isMap, type JsonMap, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { duplicate, invalid, notSupported, required } from '../schema/field-error.ts';
import { parseQuantity } from '../schema/quantity-form.ts';
import { isPort, misnamed, PORT_RANGE } from './bounds.ts';

/** What is wrong with a container of any sort; `volumes` are those that its pod has. */
export const containerErrors = (
  container: JsonMap,
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] => {
  const name = textAt(container, 'name');
  const { terminationMessagePolicy: message, imagePullPolicy: pull } = container;
  return [
    ...(name === '' ? [required(`${path}.name`)] : misnamed(name, `${path}.name`, dnsLabel)),
    ...(textAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
    ...(MESSAGE_POLICIES.includes(String(message))
      ? []
      : [notSupported(`${path}.terminationMessagePolicy`, message, MESSAGE_POLICIES)]),
    ...containerPortErrors(mapsAt(container, 'ports'), `${path}.ports`),
    ...mapsAt(container, 'env').flatMap((variable, index) =>
      variableErrors(variable, `${path}.env[${index}]`),
    ),
    ...mapsAt(container, 'envFrom').flatMap((source, index) =>
      sourceErrors(source, `${path}.envFrom`, index),
    ),
    ...mountErrors(mapsAt(container, 'volumeMounts'), `${path}.volumeMounts`, volumes),
    ...(PULL_POLICIES.includes(String(pull))
      ? []
      : [notSupported(`${path}.imagePullPolicy`, pull, PULL_POLICIES)]),
    ...resourceErrors(mapAt(container, 'resources'), `${path}.resources`),
  ];
};

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const containerPortErrors = (ports: readonly JsonMap[], path: string): FieldError[] => {
  const names = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, index) => {
    const field = `${path}[${index}]`;
    const { containerPort = 0, protocol } = port;
    const name = names[index] ?? '';
    const wrongName = name === '' ? [] : misnamed(name, `${field}.name`, portName);
    const isRepeated = name !== '' && wrongName.length === 0 && names.indexOf(name) < index;
    return [
      ...wrongName,
      ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
      ...(containerPort === 0 ? [required(`${field}.containerPort`)] : []),
      ...(containerPort === 0 || isPort(containerPort)
        ? []
        : [invalid(`${field}.containerPort`, containerPort, PORT_RANGE)]),
      ...(PROTOCOLS.includes(String(protocol))
        ? []
        : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ];
  });
};

const variableErrors = (variable: JsonMap, path: string): FieldError[] => {
  const { value, valueFrom } = variable;
  const sources = isMap(valueFrom) ? Object.keys(valueFrom) : [];
  const wrong = (why: string): FieldError => invalid(`${path}.valueFrom`, '', why);
  return [
    ...(textAt(variable, 'name') === '' ? [required(`${path}.name`)] : []),
    ...(value !== undefined && value !== '' && sources.length > 0
      ? [wrong('may not be specified when `value` is not empty')]
      : []),
    ...(sources.length > 1 ? [wrong('may not have more than one field specified at a time')] : []),
    ...['secretKeyRef', 'configMapKeyRef'].flatMap((source) => {
      const reference = isMap(valueFrom) ? valueFrom[source] : undefined;
      if (!isMap(reference)) return [];
      return ['name', 'key']
        .filter((field) => textAt(reference, field) === '')
        .map((field) => required(`${path}.valueFrom.${source}.${field}`));
    }),
    ...(isMap(valueFrom) && isMap(valueFrom.fieldRef) && !valueFrom.fieldRef.fieldPath
      ? [required(`${path}.valueFrom.fieldRef.fieldPath`)]
      : []),
    ...(isMap(valueFrom) && sources.length === 0
      ? [
          wrong(
            'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
          ),
        ]
      : []),
  ];
};

const sourceErrors = (source: JsonMap, path: string, index: number): FieldError[] => {
  const given = ['configMapRef', 'secretRef'].filter((field) => isMap(source[field]));
  if (given.length !== 1) {
    const why =
      given.length === 0
        ? 'must specify one of: `configMapRef` or `secretRef`'
        : 'may not have more than one field specified at a time';
    return [invalid(path, '', why)];
  }
  const [field = ''] = given;
  return textAt(mapAt(source, field), 'name') === ''
    ? [required(`${path}[${index}].${field}.name`)]
    : [];
};

const mountErrors = (
  mounts: readonly JsonMap[],
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] => {
  const places = mounts.map((mount) => textAt(mount, 'mountPath'));
  return mounts.flatMap((mount, index) => {
    const field = `${path}[${index}]`;
    const [name, place = ''] = [textAt(mount, 'name'), places[index]];
    return [
      ...(name === '' ? [required(`${field}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFound(`${field}.name`, name)]),
      ...(place === '' ? [required(`${field}.mountPath`)] : []),
      ...(places.indexOf(place) < index
        ? [invalid(`${field}.mountPath`, place, 'must be unique')]
        : []),
    ];
  });
};

const notFound = (field: string, value: string): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${JSON.stringify(value)}`,
});

const resourceErrors = (resources: JsonMap, path: string): FieldError[] => [
  ...Object.entries(mapAt(resources, 'limits')).flatMap(([name, limit]) =>
    negativeErrors(limit, `${path}.limits[${name}]`),
  ),
  ...Object.entries(mapAt(resources, 'requests')).flatMap(([name, request]) => {
    const limit = mapAt(resources, 'limits')[name];
    const negative = negativeErrors(request, `${path}.requests[${name}]`);
    if (limit === undefined || !isMore(String(request), String(limit))) return negative;
    const why = `must be less than or equal to ${name} limit of ${limit}`;
    return [...negative, invalid(`${path}.requests`, request, why)];
  }),
];

const negativeErrors = (quantity: unknown, path: string): FieldError[] => {
  const { negative, digits } = parseQuantity(String(quantity));
  if (!negative || digits === 0n) return [];
  return [invalid(path, quantity, 'must be greater than or equal to 0')];
};

const isMore = (one: string, other: string): boolean => {
  const [a, b] = [parseQuantity(one), parseQuantity(other)];
  const shared = Math.min(a.exponent, b.exponent);
  const amount = ({ digits, exponent, negative }: typeof a): bigint =>
    digits * 10n ** BigInt(exponent - shared) * (negative ? -1n : 1n);
  return amount(a) > amount(b);
};
