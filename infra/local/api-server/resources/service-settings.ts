import { isIPv6 } from 'node:net';
import type { FieldError } from '../errors/errors.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { type JsonMap, mapAt, numberAt, textAt } from '../objects/object.ts';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { misnamed, unlisted } from './bounds.ts';
import { isExternallyAccessible } from './service-types.ts';

const AFFINITIES = ['ClientIP', 'None'];
const LONGEST_AFFINITY = 86_400;

/** What is wrong with how a Service keeps its clients apart. */
export const affinityErrors = (spec: JsonMap): FieldError[] => {
  const affinity = textAt(spec, 'sessionAffinity');
  const field = 'spec.sessionAffinityConfig';
  if (!AFFINITIES.includes(affinity)) {
    return [notSupported('spec.sessionAffinity', affinity, AFFINITIES)];
  }
  if (affinity === 'None') {
    if (spec.sessionAffinityConfig === undefined) return [];
    return [forbidden(field, 'must not be set when session affinity is None')];
  }
  const client = mapAt(mapAt(spec, 'sessionAffinityConfig'), 'clientIP');
  const seconds = numberAt(client, 'timeoutSeconds');
  if (seconds === undefined) {
    return [required(field, `when session affinity type is ${affinity}`)];
  }
  if (seconds > 0 && seconds <= LONGEST_AFFINITY) return [];
  return [
    invalid(
      `${field}.clientIP.timeoutSeconds`,
      seconds,
      `must be greater than 0 and less than ${LONGEST_AFFINITY}`,
    ),
  ];
};

/** What is wrong with the names and addresses that a Service asks for. */
export const addressErrors = (spec: JsonMap): FieldError[] => {
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
};

// Zeros before an octet have always been let in.
const ADDRESS = /^0*\d{1,3}(\.0*\d{1,3}){3}$/;

export const isAddress = (text: string): boolean =>
  isIPv6(text) || (ADDRESS.test(text) && text.split('.').every((octet) => Number(octet) < 256));

export const notAnAddress = (field: string, value: unknown): FieldError =>
  invalid(field, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');

const POLICIES = ['Cluster', 'Local'];
const PREFERENCES = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

export const isTrafficPolicy = (value: unknown): boolean => POLICIES.includes(String(value));

/** What is wrong with how a Service is reached. */
export const trafficErrors = (spec: JsonMap): FieldError[] => {
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
    ...(isExternallyAccessible(spec) && !POLICIES.includes(String(outside))
      ? [notSupported(field, outside, POLICIES)]
      : []),
    ...(inside === undefined || POLICIES.includes(String(inside))
      ? []
      : [notSupported('spec.internalTrafficPolicy', inside, POLICIES)]),
    ...(spec.trafficDistribution === undefined
      ? []
      : unlisted(spec.trafficDistribution, 'spec.trafficDistribution', PREFERENCES)),
  ];
};
