import type { FieldError } from '../errors/errors.ts';
import { pathSegment } from '../objects/names.ts';
import { isMap, type JsonMap, mapAt, mapsAt, numberAt, textAt } from '../objects/object.ts';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { parseQuantity } from '../schema/quantity-form.ts';
import { misnamed } from './bounds.ts';

/** What is wrong with the specification of a HorizontalPodAutoscaler. */
export const autoscalerErrors = (spec: JsonMap): FieldError[] => [
  ...boundErrors(spec),
  ...referenceErrors(mapAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef'),
  ...mapsAt(spec, 'metrics').flatMap((metric, index) =>
    metricErrors(metric, `spec.metrics[${index}]`),
  ),
  ...zeroErrors(spec),
  ...['scaleUp', 'scaleDown'].flatMap((direction) => {
    const rules = mapAt(spec, 'behavior')[direction];
    return isMap(rules) ? rulesErrors(rules, `spec.behavior.${direction}`) : [];
  }),
];

const boundErrors = (spec: JsonMap): FieldError[] => {
  const min = numberAt(spec, 'minReplicas') ?? 1;
  const max = numberAt(spec, 'maxReplicas') ?? 0;
  const field = 'spec.maxReplicas';
  return [
    ...(min < 1 ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')] : []),
    ...(max === 0 ? [required(field, 'must be set and greater than 0')] : []),
    ...(max < 0 ? [invalid(field, max, 'must be greater than or equal to 1')] : []),
    ...(max < min ? [invalid(field, max, 'must be greater than or equal to `minReplicas`')] : []),
  ];
};

const referenceErrors = (reference: JsonMap, path: string): FieldError[] => [
  ...['kind', 'name'].flatMap((field) => {
    const text = textAt(reference, field);
    if (text === '') return [required(`${path}.${field}`)];
    return misnamed(text, `${path}.${field}`, pathSegment);
  }),
  ...(textAt(reference, 'apiVersion').includes('/')
    ? []
    : [
        invalid(
          `${path}.apiVersion`,
          textAt(reference, 'apiVersion'),
          'apiVersion must specify API group',
        ),
      ]),
];

const zeroErrors = (spec: JsonMap): FieldError[] => {
  const scalesFromZero = mapsAt(spec, 'metrics').some(({ type }) =>
    ['Object', 'External'].includes(String(type)),
  );
  if (spec.minReplicas !== 0 || scalesFromZero) return [];
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden('spec.metrics', why)];
};

const METRICS = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

const metricErrors = (metric: JsonMap, path: string): FieldError[] => {
  const type = textAt(metric, 'type');
  if (!METRICS.includes(type)) {
    const missing =
      type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : [];
    const unknown = notSupported(`${path}.type`, type, METRICS);
    return [...missing, unknown, unknown];
  }
  const source = type.charAt(0).toLowerCase() + type.slice(1);
  const content = metric[source];
  if (!isMap(content)) {
    return [required(`${path}.${source}`, 'must populate information for the given metric source')];
  }
  return source === 'resource' ? resourceErrors(content, `${path}.${source}`) : [];
};

const resourceErrors = (resource: JsonMap, path: string): FieldError[] => {
  const target = mapAt(resource, 'target');
  const { averageUtilization: share, averageValue: amount } = target;
  return [
    ...(textAt(resource, 'name') === ''
      ? [required(`${path}.name`, 'must specify a resource name')]
      : []),
    ...targetErrors(target, `${path}.target`),
    ...(share === undefined && amount === undefined
      ? [
          required(
            `${path}.target.averageUtilization`,
            'must set either a target raw value or a target utilization',
          ),
        ]
      : []),
    ...(share !== undefined && amount !== undefined
      ? [
          forbidden(
            `${path}.target.averageValue`,
            'may not set both a target raw value and a target utilization',
          ),
        ]
      : []),
  ];
};

const TARGETS = ['Utilization', 'Value', 'AverageValue'];

const targetErrors = (target: JsonMap, path: string): FieldError[] => {
  const type = textAt(target, 'type');
  const share = numberAt(target, 'averageUtilization');
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : []),
    ...(TARGETS.includes(type)
      ? []
      : [invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...['value', 'averageValue'].flatMap((field) => {
      const amount = target[field];
      if (amount === undefined || isPositive(String(amount))) return [];
      return [invalid(`${path}.${field}`, amount, 'must be positive')];
    }),
    ...(share !== undefined && share < 1
      ? [invalid(`${path}.averageUtilization`, share, 'must be greater than 0')]
      : []),
  ];
};

const isPositive = (quantity: string): boolean => {
  const { digits, negative } = parseQuantity(quantity);
  return digits > 0n && !negative;
};

const LONGEST_WINDOW = 3600;
const LONGEST_PERIOD = 1800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];

const rulesErrors = (rules: JsonMap, path: string): FieldError[] => {
  const window = numberAt(rules, 'stabilizationWindowSeconds') ?? 0;
  const select = textAt(rules, 'selectPolicy') || 'Max';
  const policies = mapsAt(rules, 'policies');
  const field = `${path}.stabilizationWindowSeconds`;
  return [
    ...(window < 0 ? [invalid(field, window, 'must be greater than or equal to zero')] : []),
    ...(window > LONGEST_WINDOW
      ? [invalid(field, window, `must be less than or equal to ${LONGEST_WINDOW}`)]
      : []),
    ...(SELECT_POLICIES.includes(select)
      ? []
      : [notSupported(`${path}.selectPolicy`, select, SELECT_POLICIES)]),
    ...(policies.length === 0
      ? [required(`${path}.policies`, 'must specify at least one Policy')]
      : []),
    ...policies.flatMap((policy, index) => policyErrors(policy, `${path}.policies[${index}]`)),
  ];
};

const policyErrors = (policy: JsonMap, path: string): FieldError[] => {
  const { type, value = 0, periodSeconds: period = 0 } = policy;
  return [
    ...(POLICY_TYPES.includes(String(type))
      ? []
      : [notSupported(`${path}.type`, type ?? '', POLICY_TYPES)]),
    ...(Number(value) > 0 ? [] : [invalid(`${path}.value`, value, 'must be greater than zero')]),
    ...(Number(period) > 0
      ? []
      : [invalid(`${path}.periodSeconds`, period, 'must be greater than zero')]),
    ...(Number(period) > LONGEST_PERIOD
      ? [
          invalid(
            `${path}.periodSeconds`,
            period,
            `must be less than or equal to ${LONGEST_PERIOD}`,
          ),
        ]
      : []),
  ];
};
