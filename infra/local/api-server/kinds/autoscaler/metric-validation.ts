import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../errors/field-error.ts';
import { isObject, type JsonObject, numberAt, objectAt, textAt } from '../../json/value.ts';
import { misnamed } from '../../objects/field-rules.ts';
import { dnsLabel, pathSegment } from '../../objects/names.ts';
import { parseQuantity } from '../../objects/quantity.ts';
import { referenceErrors } from './reference-validation.ts';

/** Validates a metric of an autoscaler. */
export function metricErrors(metric: JsonObject, path: string): FieldError[] {
  const type = textAt(metric, 'type');
  const wanted = knownTypes.get(type);
  const [first, ...others] = Object.keys(knownSources).filter((source) => isObject(metric[source]));
  const unknown = notSupported(`${path}.type`, type, [...knownTypes.keys()]);
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : []),
    ...(wanted === undefined ? [unknown] : []),
    ...(first === undefined
      ? []
      : (knownSources[first]?.(objectAt(metric, first), `${path}.${first}`) ?? [])),
    ...(wanted === undefined ? [unknown] : []),
    ...(wanted === undefined || isObject(metric[wanted])
      ? []
      : [required(`${path}.${wanted}`, 'must populate information for the given metric source')]),
    ...(others.length === 0
      ? []
      : [first, ...others]
          .filter((source) => source !== wanted)
          .map((source) =>
            forbidden(`${path}.${source}`, 'must populate the given metric source only'),
          )),
  ];
}

const knownTypes: ReadonlyMap<string, string> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);

type Find = (content: JsonObject, path: string) => FieldError[];

const objectSource: Find = (content, path) => [
  ...referenceErrors(objectAt(content, 'describedObject'), `${path}.describedObject`, {
    needsGroup: false,
  }),
  ...namedMetric(content, path),
  ...(hasAny(content, ['value', 'averageValue'])
    ? []
    : [missing(path, 'must set either a target value or averageValue')]),
];

const externalSource: Find = (content, path) => [
  ...namedMetric(content, path),
  ...(hasAny(content, ['value', 'averageValue'])
    ? []
    : [missing(path, 'must set either a target value for metric or a per-pod target')]),
  ...(hasAny(content, ['value']) && hasAny(content, ['averageValue'])
    ? [
        forbidden(
          `${path}.target.value`,
          'may not set both a target value for metric and a per-pod target',
        ),
      ]
    : []),
];

const podsSource: Find = (content, path) => [
  ...namedMetric(content, path),
  ...(hasAny(content, ['averageValue'])
    ? []
    : [missing(path, 'must specify a positive target averageValue')]),
];

function hasAny(content: JsonObject, fields: readonly string[]): boolean {
  return fields.some((field) => (objectAt(content, 'target')[field] ?? undefined) !== undefined);
}

function missing(path: string, why: string): FieldError {
  return required(`${path}.target.averageValue`, why);
}

const namedMetric: Find = (content, path) => {
  const name = textAt(objectAt(content, 'metric'), 'name');
  const field = `${path}.metric.name`;
  return [
    ...(name === ''
      ? [required(field, 'must specify a metric name')]
      : misnamed(name, field, pathSegment)),
    ...targetErrors(objectAt(content, 'target'), `${path}.target`),
  ];
};

const resourceSource: Find = (content, path) => [
  ...resourceName(content, path),
  ...resourceTarget(content, path),
];

const containerSource: Find = (content, path) => {
  const container = textAt(content, 'container');
  const field = `${path}.container`;
  return [
    ...resourceName(content, path),
    ...(container === ''
      ? [required(field, 'must specify a container')]
      : misnamed(container, field, dnsLabel)),
    ...resourceTarget(content, path),
  ];
};

const resourceName: Find = (content, path) =>
  textAt(content, 'name') === '' ? [required(`${path}.name`, 'must specify a resource name')] : [];

const resourceTarget: Find = (content, path) => {
  const target = objectAt(content, 'target');
  const { averageUtilization: share, averageValue: amount } = target;
  const field = `${path}.target`;
  const either = 'must set either a target raw value or a target utilization';
  const both = 'may not set both a target raw value and a target utilization';
  return [
    ...targetErrors(target, field),
    ...(share === undefined && amount === undefined
      ? [required(`${field}.averageUtilization`, either)]
      : []),
    ...(share !== undefined && amount !== undefined
      ? [forbidden(`${field}.averageValue`, both)]
      : []),
  ];
};

const knownSources: Readonly<Record<string, Find>> = {
  object: objectSource,
  external: externalSource,
  pods: podsSource,
  resource: resourceSource,
  containerResource: containerSource,
};

const knownTargets = ['Utilization', 'Value', 'AverageValue'];

function targetErrors(target: JsonObject, path: string): FieldError[] {
  const type = textAt(target, 'type');
  const share = numberAt(target, 'averageUtilization');
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : []),
    ...(knownTargets.includes(type)
      ? []
      : [invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...['value', 'averageValue'].flatMap((field) => {
      const amount = target[field];
      if (typeof amount !== 'string' || isPositive(amount)) return [];
      return [invalid(`${path}.${field}`, amount, 'must be positive')];
    }),
    ...(share !== undefined && share < 1
      ? [invalid(`${path}.averageUtilization`, share, 'must be greater than 0')]
      : []),
  ];
}

function isPositive(quantity: string): boolean {
  const { digits, negative } = parseQuantity(quantity);
  return digits > 0n && !negative;
}
