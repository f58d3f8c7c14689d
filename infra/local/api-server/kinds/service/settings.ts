import { isIPv6 } from 'node:net';
import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../errors/field-error.ts';
import { type JsonObject, numberAt, objectAt, textAt } from '../../json/value.ts';
import { misnamed, unlisted } from '../../objects/field-rules.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { isExternallyAccessible } from './types.ts';

const affinities = ['ClientIP', 'None'];
const maxAffinitySeconds = 86_400;

/** Validates the session affinity of a Service. */
export function sessionAffinityErrors(spec: JsonObject): FieldError[] {
  const affinity = textAt(spec, 'sessionAffinity');
  const field = 'spec.sessionAffinityConfig';
  if (!affinities.includes(affinity)) {
    return [notSupported('spec.sessionAffinity', affinity, affinities)];
  }
  if (affinity === 'None') {
    if (spec.sessionAffinityConfig === undefined) return [];
    return [forbidden(field, 'must not be set when session affinity is None')];
  }
  const client = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP');
  const seconds = numberAt(client, 'timeoutSeconds');
  if (seconds === undefined) {
    return [required(field, `when session affinity type is ${affinity}`)];
  }
  if (seconds > 0 && seconds <= maxAffinitySeconds) return [];
  return [
    invalid(
      `${field}.clientIP.timeoutSeconds`,
      seconds,
      `must be greater than 0 and less than ${maxAffinitySeconds}`,
    ),
  ];
}

/** Validates the names and addresses that a Service requests. */
export function serviceAddressErrors(spec: JsonObject): FieldError[] {
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  const address = textAt(spec, 'clusterIP');
  const isHeadless = address === 'None';
  if (spec.type === 'ExternalName') {
    return [
      ...['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']
        .filter((field) => spec[field] !== undefined)
        .map((field) => forbidden(`spec.${field}`, 'may not be set for ExternalName services')),
      ...(name === ''
        ? [required('spec.externalName')]
        : misnamed(name, 'spec.externalName', dnsSubdomain)),
    ];
  }
  const noneFor = ['LoadBalancer', 'NodePort'].includes(String(spec.type));
  return [
    ...(isHeadless && noneFor
      ? [
          invalid(
            'spec.clusterIPs[0]',
            'None',
            `may not be set to 'None' for ${spec.type} services`,
          ),
        ]
      : []),
  ];
}

// The server has always accepted leading zeros in octets.
const addressPattern = /^0*\d{1,3}(\.0*\d{1,3}){3}$/;

export function isAddress(text: string): boolean {
  return (
    isIPv6(text) ||
    (addressPattern.test(text) && text.split('.').every((octet) => Number(octet) < 256))
  );
}

export function notAnAddress(field: string, value: unknown): FieldError {
  return invalid(field, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
}

const knownPolicies = ['Cluster', 'Local'];
const preferences = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

export function isTrafficPolicy(value: unknown): boolean {
  return knownPolicies.includes(String(value));
}

/** Validates the traffic policies of a Service. */
export function trafficErrors(spec: JsonObject): FieldError[] {
  const { externalTrafficPolicy: outside, internalTrafficPolicy: inside } = spec;
  const field = 'spec.externalTrafficPolicy';
  return [
    ...(spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer'
      ? [
          forbidden(
            'spec.allocateLoadBalancerNodePorts',
            "may only be used when `type` is 'LoadBalancer'",
          ),
        ]
      : []),
    ...(outside !== undefined && !isExternallyAccessible(spec)
      ? [invalid(field, outside, 'may only be set for externally-accessible services')]
      : []),
    ...(isExternallyAccessible(spec) && !knownPolicies.includes(String(outside))
      ? [notSupported(field, outside, knownPolicies)]
      : []),
    ...(inside === undefined || knownPolicies.includes(String(inside))
      ? []
      : [notSupported('spec.internalTrafficPolicy', inside, knownPolicies)]),
    ...(spec.trafficDistribution === undefined
      ? []
      : unlisted(spec.trafficDistribution, 'spec.trafficDistribution', preferences)),
  ];
}
