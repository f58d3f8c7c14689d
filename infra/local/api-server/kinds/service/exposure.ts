import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid } from '../../errors/field-error.ts';
import { type JsonObject, listAt, objectAt } from '../../json/value.ts';
import { addressErrors, rangeErrors, specialErrors } from '../../objects/addresses.ts';
import { misnamed } from '../../objects/field-rules.ts';
import { qualifiedName } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { needsHealthCheckPort } from './types.ts';

const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";
const knownSources = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Does not validate addresses again that an update leaves unchanged. */
export function externalIpErrors(spec: JsonObject, before?: JsonObject): FieldError[] {
  const known = listAt(before, 'externalIPs');
  return listAt(spec, 'externalIPs').flatMap((one, index) => {
    const field = `spec.externalIPs[${index}]`;
    const wrong = known.includes(one) ? [] : addressErrors(String(one), field);
    return wrong.length > 0 ? wrong : specialErrors(String(one), field);
  });
}

/** Validates the source ranges of a load balancer, in the spec or in an annotation. */
export function sourceErrors({ metadata, spec }: KubeObject, old?: KubeObject): FieldError[] {
  const isBalancer = objectAt({ spec }, 'spec').type === 'LoadBalancer';
  const ranges = rangesOf(spec);
  const known = rangesOf(old?.spec);
  const field = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0) {
    return [
      ...(isBalancer ? [] : [forbidden(field, onlyBalancers)]),
      ...ranges.flatMap((range, index) =>
        known.includes(range) ? [] : rangeErrors(range, `${field}[${index}]`),
      ),
    ];
  }
  const annotation = metadata.annotations?.[knownSources];
  if (annotation === undefined) return [];
  const place = `metadata.annotations[${knownSources}]`;
  const isNew =
    annotation.trim() !== '' && annotation !== old?.metadata.annotations?.[knownSources];
  return [
    ...(isBalancer ? [] : [forbidden(place, onlyBalancers)]),
    ...(isNew ? annotation.split(',').flatMap((range) => rangeErrors(range.trim(), place)) : []),
  ];
}

function rangesOf(spec: unknown): string[] {
  return listAt(objectAt({ spec }, 'spec'), 'loadBalancerSourceRanges').map((range) =>
    String(range).trim(),
  );
}

/** Validates the class of a load balancer, which has the form of a label key. */
export function classErrors({ type, loadBalancerClass: name }: JsonObject): FieldError[] {
  const field = 'spec.loadBalancerClass';
  if (typeof name !== 'string') return [];
  return type === 'LoadBalancer'
    ? misnamed(name, field, qualifiedName)
    : [forbidden(field, onlyBalancers)];
}

/** Refuses a change of the load balancer's class. */
export function classChanged(spec: JsonObject, before: JsonObject): FieldError[] {
  const { loadBalancerClass: name = null } = spec;
  const areBalancers = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  if (!areBalancers || name === (before.loadBalancerClass ?? null)) return [];
  return [invalid('spec.loadBalancerClass', name, 'may not change once set')];
}

export function healthCheckErrors(spec: JsonObject, before?: JsonObject): FieldError[] {
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
}
