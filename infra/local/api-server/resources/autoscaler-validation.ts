import type { FieldError } from '../errors/errors.ts';
import { isMap, type JsonMap, mapAt, mapsAt, numberAt, textAt } from '../objects/object.ts';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { compareQuantities } from '../schema/quantity-form.ts';
import { metricErrors } from './metric-validation.ts';
import { referenceErrors } from './reference-validation.ts';

/** What is wrong with the specification of a HorizontalPodAutoscaler. */
export const autoscalerErrors = (spec: JsonMap): FieldError[] => [
  ...boundErrors(spec),
  ...referenceErrors(mapAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', { needsGroup: true }),
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

const zeroErrors = (spec: JsonMap): FieldError[] => {
  const scalesFromZero = mapsAt(spec, 'metrics').some(({ type }) =>
    ['Object', 'External'].includes(String(type)),
  );
  if (spec.minReplicas !== 0 || scalesFromZero) return [];
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden('spec.metrics', why)];
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
    ...(isNegative(rules.tolerance)
      ? [invalid(`${path}.tolerance`, rules.tolerance, 'must be greater than or equal to 0')]
      : []),
  ];
};

const isNegative = (amount: unknown): boolean =>
  typeof amount === 'string' && compareQuantities(amount, '0') < 0;

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
