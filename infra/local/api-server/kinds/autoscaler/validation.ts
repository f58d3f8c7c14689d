import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../json/value.ts';
import { compareQuantities } from '../../objects/quantity.ts';
import { metricErrors } from './metric-validation.ts';
import { referenceErrors } from './reference-validation.ts';

/** Validates the specification of a HorizontalPodAutoscaler. */
export function autoscalerErrors(spec: JsonObject): FieldError[] {
  return [
    ...boundErrors(spec),
    ...referenceErrors(objectAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', {
      needsGroup: true,
    }),
    ...objectsAt(spec, 'metrics').flatMap((metric, index) =>
      metricErrors(metric, `spec.metrics[${index}]`),
    ),
    ...zeroErrors(spec),
    ...['scaleUp', 'scaleDown'].flatMap((direction) => {
      const rules = objectAt(spec, 'behavior')[direction];
      return isObject(rules) ? rulesErrors(rules, `spec.behavior.${direction}`) : [];
    }),
  ];
}

function boundErrors(spec: JsonObject): FieldError[] {
  const min = numberAt(spec, 'minReplicas') ?? 1;
  const max = numberAt(spec, 'maxReplicas') ?? 0;
  const field = 'spec.maxReplicas';
  return [
    ...(min < 1 ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')] : []),
    ...(max === 0 ? [required(field, 'must be set and greater than 0')] : []),
    ...(max < 0 ? [invalid(field, max, 'must be greater than or equal to 1')] : []),
    ...(max < min ? [invalid(field, max, 'must be greater than or equal to `minReplicas`')] : []),
  ];
}

function zeroErrors(spec: JsonObject): FieldError[] {
  const scalesFromZero = objectsAt(spec, 'metrics').some(({ type }) =>
    ['Object', 'External'].includes(String(type)),
  );
  if (spec.minReplicas !== 0 || scalesFromZero) return [];
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden('spec.metrics', why)];
}

const maxWindow = 3600;
const maxPeriod = 1800;
const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

function rulesErrors(rules: JsonObject, path: string): FieldError[] {
  const window = numberAt(rules, 'stabilizationWindowSeconds') ?? 0;
  const select = textAt(rules, 'selectPolicy') || 'Max';
  const policies = objectsAt(rules, 'policies');
  const field = `${path}.stabilizationWindowSeconds`;
  return [
    ...(window < 0 ? [invalid(field, window, 'must be greater than or equal to zero')] : []),
    ...(window > maxWindow
      ? [invalid(field, window, `must be less than or equal to ${maxWindow}`)]
      : []),
    ...(selectPolicies.includes(select)
      ? []
      : [notSupported(`${path}.selectPolicy`, select, selectPolicies)]),
    ...(policies.length === 0
      ? [required(`${path}.policies`, 'must specify at least one Policy')]
      : []),
    ...policies.flatMap((policy, index) => policyErrors(policy, `${path}.policies[${index}]`)),
    ...(isNegative(rules.tolerance)
      ? [invalid(`${path}.tolerance`, rules.tolerance, 'must be greater than or equal to 0')]
      : []),
  ];
}

function isNegative(amount: unknown): boolean {
  return typeof amount === 'string' && compareQuantities(amount, '0') < 0;
}

function policyErrors(policy: JsonObject, path: string): FieldError[] {
  const { type, value = 0, periodSeconds: period = 0 } = policy;
  return [
    ...(policyTypes.includes(String(type))
      ? []
      : [notSupported(`${path}.type`, type ?? '', policyTypes)]),
    ...(Number(value) > 0 ? [] : [invalid(`${path}.value`, value, 'must be greater than zero')]),
    ...(Number(period) > 0
      ? []
      : [invalid(`${path}.periodSeconds`, period, 'must be greater than zero')]),
    ...(Number(period) > maxPeriod
      ? [invalid(`${path}.periodSeconds`, period, `must be less than or equal to ${maxPeriod}`)]
      : []),
  ];
}
