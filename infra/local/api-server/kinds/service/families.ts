import { isIPv6 } from 'node:net';
import { invalidObject } from '../../errors/api-errors.ts';
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '../../errors/field-error.ts';
import { type JsonObject, listAt, objectAt } from '../../json/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import { isAddress, notAnAddress } from './settings.ts';

/** Chooses the IP families of a Service and the family policy; the cluster has IPv4 only. */
export function chooseFamilies(object: KubeObject, old?: KubeObject): void {
  const spec = objectAt(object, 'spec');
  if (spec.type === 'ExternalName') return;
  const isOpen = spec.clusterIP === 'None' && Object.keys(objectAt(spec, 'selector')).length === 0;
  spec.ipFamilyPolicy ??=
    (old && objectAt(old, 'spec').ipFamilyPolicy) ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
  refuse(object, clusterIpErrors(object, old));
  if (old) keepOne(spec, objectAt(old, 'spec'));
  refuse(object, numberErrors(spec));
  const families = listAt(spec, 'ipFamilies');
  if (isOpen) {
    spec.ipFamilies = openFamilies(spec, families.length === 0 ? ['IPv4'] : families);
    return;
  }
  refuse(object, unservedErrors(spec));
  if (families.length === 0) spec.ipFamilies = ['IPv4'];
}

function refuse({ metadata: { name } }: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'Service', name }, errors);
}

/** Drops the second family if an update sets SingleStack and changes nothing else. */
function keepOne(spec: JsonObject, before: JsonObject): void {
  if (spec.ipFamilyPolicy !== 'SingleStack') return;
  for (const field of ['clusterIPs', 'ipFamilies']) {
    const [now, then] = [listAt(spec, field), listAt(before, field)];
    if (now.length > 1 && now.join() === then.join()) spec[field] = now.slice(0, 1);
  }
}

/** A headless Service without a selector may have endpoints of either family. */
function openFamilies(spec: JsonObject, families: readonly unknown[]): readonly unknown[] {
  if (families.length > 1 || spec.ipFamilyPolicy === 'SingleStack') return families;
  return [families[0], families[0] === 'IPv4' ? 'IPv6' : 'IPv4'];
}

function numberErrors(spec: JsonObject): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return unservedAddresses(spec);
  const why = (what: string): string =>
    `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
  const field = 'spec.ipFamilyPolicy';
  return [
    ...(listAt(spec, 'clusterIPs').length === 2
      ? [invalid(field, 'SingleStack', why('cluster IPs'))]
      : []),
    ...(listAt(spec, 'ipFamilies').length === 2
      ? [invalid(field, 'SingleStack', why('IP families'))]
      : []),
    ...unservedAddresses(spec),
  ];
}

function unservedAddresses(spec: JsonObject): FieldError[] {
  const addresses = listAt(spec, 'clusterIPs');
  if (addresses[0] === 'None') return [];
  const known = listAt(spec, 'ipFamilies').length;
  return addresses.flatMap((one, index) =>
    index >= known && isIPv6(String(one))
      ? [invalid(`spec.clusterIPs[${index}]`, addresses, 'IPv6 is not configured on this cluster')]
      : [],
  );
}

function unservedErrors(spec: JsonObject): FieldError[] {
  return [
    ...(spec.ipFamilyPolicy === 'RequireDualStack'
      ? [
          invalid(
            'spec.ipFamilyPolicy',
            spec.ipFamilyPolicy,
            'this cluster is not configured for dual-stack services',
          ),
        ]
      : []),
    ...listAt(spec, 'ipFamilies').flatMap((family, index) =>
      family === 'IPv4'
        ? []
        : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
}

const knownFamilies = ['IPv4', 'IPv6'];
const knownPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Validates a Service's cluster IPs and families, separately and together. */
export function clusterIpErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  if (spec.type === 'ExternalName') return [];
  const { ipFamilyPolicy: policy } = spec;
  const families = listAt(spec, 'ipFamilies');
  const errors = [
    ...unequal(spec),
    ...families.flatMap((family, index) => [
      ...(knownFamilies.includes(String(family))
        ? []
        : [notSupported(`spec.ipFamilies[${index}]`, family, knownFamilies)]),
      ...(families.indexOf(family) < index ? [duplicate(`spec.ipFamilies[${index}]`, family)] : []),
    ]),
    ...(policy === undefined || knownPolicies.includes(String(policy))
      ? []
      : [notSupported('spec.ipFamilyPolicy', policy, knownPolicies)]),
  ];
  const addresses = addressErrors(spec, old);
  const many =
    listAt(spec, 'clusterIPs').length > 2
      ? [invalid('spec.clusterIPs', spec.clusterIPs, 'may only hold up to 2 values')]
      : [];
  if (addresses.length > 0) return [...errors, ...addresses, ...many];
  return [...errors, ...many, ...pairErrors(spec)];
}

function unequal({ clusterIP, clusterIPs }: JsonObject): FieldError[] {
  const [first] = listAt({ clusterIPs }, 'clusterIPs');
  const field = 'spec.clusterIPs';
  if (clusterIP) {
    if (first === undefined) return [required(field)];
    return first === clusterIP
      ? []
      : [invalid(field, clusterIPs, 'first value must match `clusterIP`')];
  }
  if (first === undefined) return [];
  return [invalid(field, clusterIPs, 'must be empty when `clusterIP` is not specified')];
}

function addressErrors(spec: JsonObject, old?: KubeObject): FieldError[] {
  const addresses = listAt(spec, 'clusterIPs');
  const before = old ? listAt(objectAt(old, 'spec'), 'clusterIPs') : [];
  return addresses.flatMap((one, index) => {
    if (index === 0 && one === 'None') {
      return addresses.length === 1
        ? []
        : [invalid('spec.clusterIPs', addresses, "'None' must be the first and only value")];
    }
    const isFine = isAddress(String(one)) || before.includes(one);
    return isFine ? [] : [notAnAddress(`spec.clusterIPs[${index}]`, one)];
  });
}

function pairErrors(spec: JsonObject): FieldError[] {
  const addresses = listAt(spec, 'clusterIPs');
  if (addresses[0] === 'None') return [];
  const found = addresses.map((one) => (isIPv6(String(one)) ? 'IPv6' : 'IPv4'));
  const families = listAt(spec, 'ipFamilies');
  const isPaired = addresses.length < 2 || new Set(found).size === 2;
  return [
    ...(isPaired
      ? []
      : [
          invalid(
            'spec.clusterIPs',
            addresses,
            'may specify no more than one IP for each IP family',
          ),
        ]),
    ...found.flatMap((family, index) => {
      const wanted = families[index];
      if (wanted === undefined || wanted === family || !knownFamilies.includes(String(wanted)))
        return [];
      const why = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``;
      return [invalid(`spec.clusterIPs[${index}]`, addresses[index], why)];
    }),
  ];
}
