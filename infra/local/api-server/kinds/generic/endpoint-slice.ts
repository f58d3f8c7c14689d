import { isIPv4, isIPv6 } from 'node:net';
import {
  duplicate,
  type FieldError,
  invalid,
  required,
  tooMany,
} from '../../errors/field-error.ts';
import { type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { addressErrors, specialErrors } from '../../objects/addresses.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { misnamed, unlisted } from '../../objects/field-rules.ts';
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
} from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Strategy } from '../../resources/strategy.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const most = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8 };

export const endpointSlice: Partial<Strategy> = {
  replacesSchemaValidation: true,
  prepareForCreate: dropTopology,
  prepareForUpdate: dropTopology,
  isNewGeneration: (object, old) => !isSemanticallyEqual(counted(object), counted(old)),
  validate: (object, old) => [
    ...typeErrors(object),
    ...portErrors(object),
    ...(old !== undefined && isSemanticallyEqual(object.endpoints, old.endpoints)
      ? []
      : endpointErrors(object)),
    ...(old !== undefined && object.addressType !== old.addressType
      ? [invalid('addressType', object.addressType ?? '', 'field is immutable')]
      : []),
  ],
};

const counted = ({ metadata: { labels }, ...content }: KubeObject) => ({ ...content, labels });

/** Drops a field of v1beta1, which v1 can only show. */
function dropTopology(object: KubeObject): void {
  for (const endpoint of objectsAt(object, 'endpoints')) delete endpoint.deprecatedTopology;
}

function typeErrors(slice: KubeObject): FieldError[] {
  const type = textAt(slice, 'addressType');
  return type === '' ? [required('addressType')] : unlisted(type, 'addressType', addressTypes);
}

function portErrors(slice: KubeObject): FieldError[] {
  const ports = objectsAt(slice, 'ports');
  if (ports.length > most.ports) return [tooMany('ports', ports.length, most.ports)];
  const names = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, at) => {
    const path = `ports[${at}]`;
    const name = names[at] ?? '';
    const { appProtocol } = port;
    return [
      ...(name === '' ? [] : misnamed(name, `${path}.name`, dnsLabel)),
      ...(names.indexOf(name) < at ? [duplicate(`${path}.name`, name)] : []),
      ...unlisted(port.protocol, `${path}.protocol`, protocols),
      ...(typeof appProtocol === 'string'
        ? misnamed(appProtocol, `${path}.appProtocol`, qualifiedName)
        : []),
    ];
  });
}

function endpointErrors(slice: KubeObject): FieldError[] {
  const endpoints = objectsAt(slice, 'endpoints');
  if (endpoints.length > most.endpoints)
    return [tooMany('endpoints', endpoints.length, most.endpoints)];
  const errorsOf = addressRules[textAt(slice, 'addressType')] ?? (() => []);
  return endpoints.flatMap((endpoint, at) => {
    const path = `endpoints[${at}]`;
    const addresses = listAt(endpoint, 'addresses').map(String);
    const { nodeName, hostname } = endpoint;
    return [
      ...countErrors(addresses, `${path}.addresses`),
      ...addresses.flatMap((text, index) => errorsOf(text, `${path}.addresses`, index)),
      ...(typeof nodeName === 'string' ? misnamed(nodeName, `${path}.nodeName`, dnsSubdomain) : []),
      ...(typeof hostname === 'string' ? misnamed(hostname, `${path}.hostname`, dnsLabel) : []),
      ...hintErrors(objectAt(endpoint, 'hints'), `${path}.hints`),
    ];
  });
}

function countErrors(addresses: readonly string[], path: string): FieldError[] {
  if (addresses.length === 0) return [required(path, 'must contain at least 1 address')];
  return addresses.length > most.addresses ? [tooMany(path, addresses.length, most.addresses)] : [];
}

type AddressRule = (text: string, path: string, index: number) => FieldError[];

const familyRule =
  (family: string, isFamily: (text: string) => boolean): AddressRule =>
  (text, path, index) => {
    const wrong = addressErrors(text, `${path}[${index}]`);
    if (wrong.length > 0) return wrong;
    return [
      ...(isFamily(text) ? [] : [invalid(path, text, `must be an ${family} address`)]),
      ...specialErrors(text, `${path}[${index}]`),
    ];
  };

const addressRules: Readonly<Record<string, AddressRule>> = {
  IPv4: familyRule('IPv4', isIPv4),
  IPv6: familyRule('IPv6', isIPv6),
  FQDN: (text, path, index) => domainErrors(text, `${path}[${index}]`),
};

function domainErrors(text: string, path: string): FieldError[] {
  if (text === '') return [required(path)];
  const name = text.replace(/\.$/, '');
  const labels = name.split('.');
  const problem = (value: string, rule: NameRule): FieldError[] => {
    const found = rule(value);
    return found.length === 0 ? [] : [invalid(path, value, found.join(','))];
  };
  const wrong = problem(name, dnsSubdomain);
  if (wrong.length > 0) return wrong;
  if (labels.length < 2)
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  return labels.flatMap((label) => problem(label, dnsLabel)).slice(0, 1);
}

function hintErrors(hints: JsonObject, path: string): FieldError[] {
  const zones = namedErrors(hints, { path, field: 'forZones', rule: labelValue });
  const isTooLong = listAt(hints, 'forZones').length > most.hints;
  return isTooLong
    ? zones
    : [...zones, ...namedErrors(hints, { path, field: 'forNodes', rule: dnsSubdomain })];
}

interface Named {
  readonly path: string;
  readonly field: string;
  readonly rule: NameRule;
}

function namedErrors(hints: JsonObject, { path, field, rule }: Named): FieldError[] {
  const names = objectsAt(hints, field).map((one) => textAt(one, 'name'));
  if (names.length > most.hints) return [tooMany(`${path}.${field}`, names.length, most.hints)];
  return names.flatMap((name, at) => {
    const where = `${path}.${field}[${at}].name`;
    return [
      ...(names.indexOf(name) < at ? [duplicate(where, name)] : []),
      ...misnamed(name, where, rule),
    ];
  });
}
