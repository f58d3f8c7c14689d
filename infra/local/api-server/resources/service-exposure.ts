import type { FieldError } from '../errors/errors.ts';
import { qualifiedName } from '../objects/names.ts';
import { type JsonMap, type KubeObject, listAt, mapAt } from '../objects/object.ts';
import { forbidden, invalid } from '../schema/field-error.ts';
import { addressErrors, rangeErrors, specialErrors } from './addresses.ts';
import { misnamed } from './bounds.ts';
import { needsHealthCheckPort } from './service-types.ts';

const ONLY_BALANCERS = "may only be used when `type` is 'LoadBalancer'";
const SOURCES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Addresses that an update leaves as they were are not judged again. */
export const externalIpErrors = (spec: JsonMap, before?: JsonMap): FieldError[] => {
  const known = listAt(before, 'externalIPs');
  return listAt(spec, 'externalIPs').flatMap((one, index) => {
    const field = `spec.externalIPs[${index}]`;
    const wrong = known.includes(one) ? [] : addressErrors(String(one), field);
    return wrong.length > 0 ? wrong : specialErrors(String(one), field);
  });
};

/** Where the clients of a load balancer may come from, in its specification or an annotation. */
export const sourceErrors = ({ metadata, spec }: KubeObject, old?: KubeObject): FieldError[] => {
  const isBalancer = mapAt({ spec }, 'spec').type === 'LoadBalancer';
  const ranges = rangesOf(spec);
  const known = rangesOf(old?.spec);
  const field = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0) {
    return [
      ...(isBalancer ? [] : [forbidden(field, ONLY_BALANCERS)]),
      ...ranges.flatMap((range, index) =>
        known.includes(range) ? [] : rangeErrors(range, `${field}[${index}]`),
      ),
    ];
  }
  const annotation = metadata.annotations?.[SOURCES];
  if (annotation === undefined) return [];
  const place = `metadata.annotations[${SOURCES}]`;
  const isNew = annotation.trim() !== '' && annotation !== old?.metadata.annotations?.[SOURCES];
  return [
    ...(isBalancer ? [] : [forbidden(place, ONLY_BALANCERS)]),
    ...(isNew ? annotation.split(',').flatMap((range) => rangeErrors(range.trim(), place)) : []),
  ];
};

const rangesOf = (spec: unknown): string[] =>
  listAt(mapAt({ spec }, 'spec'), 'loadBalancerSourceRanges').map((range) => String(range).trim());

/** The class of a load balancer has the form of a label key. */
export const classErrors = ({ type, loadBalancerClass: name }: JsonMap): FieldError[] => {
  const field = 'spec.loadBalancerClass';
  if (typeof name !== 'string') return [];
  return type === 'LoadBalancer'
    ? misnamed(name, field, qualifiedName)
    : [forbidden(field, ONLY_BALANCERS)];
};

/** Another class would be another load balancer. */
export const classChanged = (spec: JsonMap, before: JsonMap): FieldError[] => {
  const { loadBalancerClass: name = null } = spec;
  const areBalancers = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  if (!areBalancers || name === (before.loadBalancerClass ?? null)) return [];
  return [invalid('spec.loadBalancerClass', name, 'may not change once set')];
};

export const healthCheckErrors = (spec: JsonMap, before?: JsonMap): FieldError[] => {
  const field = 'spec.healthCheckNodePort';
  const { healthCheckNodePort: port = 0 } = spec;
  if (!needsHealthCheckPort(spec)) {
    const why =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    return port === 0 ? [] : [invalid(field, port, why)];
  }
  const isChanged =
    before !== undefined &&
    needsHealthCheckPort(before) &&
    port !== (before.healthCheckNodePort ?? 0);
  return isChanged ? [forbidden(field, 'field is immutable')] : [];
};
