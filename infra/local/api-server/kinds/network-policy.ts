import { type FieldError, forbidden, invalid, required } from '../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '../json/value.ts';
import { isWithin, rangeErrors } from '../objects/addresses.ts';
import { isPort, portErrors, portRange, unlisted } from '../objects/field-rules.ts';
import { labelSelectorErrors } from '../objects/label-rules.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { selectorText } from '../printing/cells.ts';
import { ageCell, cell, printer } from '../printing/printer.ts';
import { type Strategy, specChanged } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

const networkPolicy: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  defaults: ({ spec }) => {
    if (!isObject(spec)) return;
    const rules = directions.flatMap(({ field }) => objectsAt(spec, field));
    for (const port of rules.flatMap((rule) => objectsAt(rule, 'ports'))) {
      setDefault(port, 'protocol', 'TCP');
    }
    if (listAt(spec, 'policyTypes').length > 0) return;
    spec.policyTypes = listAt(spec, 'egress').length > 0 ? types : ['Ingress'];
  },
  validate: (object) => policyErrors(objectAt(object, 'spec')),
};

const types = ['Ingress', 'Egress'];
const directions = [
  { field: 'ingress', peers: 'from' },
  { field: 'egress', peers: 'to' },
] as const;

function policyErrors(spec: JsonObject): FieldError[] {
  return [
    ...labelSelectorErrors(spec.podSelector, 'spec.podSelector'),
    ...directions.flatMap(({ field, peers }) =>
      objectsAt(spec, field).flatMap((rule, index) => {
        const path = `spec.${field}[${index}]`;
        return [
          ...objectsAt(rule, 'ports').flatMap((port, at) =>
            rulePortErrors(port, `${path}.ports[${at}]`),
          ),
          ...objectsAt(rule, peers).flatMap((peer, at) =>
            peerErrors(peer, `${path}.${peers}[${at}]`),
          ),
        ];
      }),
    ),
    ...typeErrors(listAt(spec, 'policyTypes'), 'spec.policyTypes'),
  ];
}

function typeErrors(given: readonly unknown[], path: string): FieldError[] {
  if (given.length > types.length) {
    return [invalid(path, given, 'may not specify more than two policyTypes')];
  }
  return given.flatMap((type, index) => unlisted(type, `${path}[${index}]`, types));
}

function rulePortErrors({ protocol, port, endPort }: JsonObject, path: string): FieldError[] {
  const end = (why: string, value: unknown = endPort): FieldError =>
    invalid(`${path}.endPort`, value, why);
  const wrongProtocol =
    protocol === undefined ? [] : unlisted(protocol, `${path}.protocol`, ['TCP', 'UDP', 'SCTP']);
  if (port === undefined) {
    const why = 'may not be specified when `port` is not specified';
    return [...wrongProtocol, ...(endPort === undefined ? [] : [end(why)])];
  }
  const isNumber = typeof port === 'number';
  const tooEarly = isNumber && Number(endPort) < port;
  return [
    ...wrongProtocol,
    ...(endPort === undefined || isNumber
      ? []
      : [end('may not be specified when `port` is non-numeric')]),
    ...portErrors(port, `${path}.port`),
    ...(endPort !== undefined && tooEarly
      ? [end('must be greater than or equal to `port`', port)]
      : []),
    ...(endPort === undefined || !isNumber || isPort(endPort) ? [] : [end(portRange)]),
  ];
}

function peerErrors(peer: JsonObject, path: string): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const given = [podSelector, namespaceSelector, ipBlock].filter((one) => one !== undefined);
  return [
    ...labelSelectorErrors(podSelector, `${path}.podSelector`),
    ...labelSelectorErrors(namespaceSelector, `${path}.namespaceSelector`),
    ...(isObject(ipBlock) ? blockErrors(ipBlock, `${path}.ipBlock`) : []),
    ...(given.length === 0 ? [required(path, 'must specify a peer')] : []),
    ...(given.length > 1 && ipBlock !== undefined
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

function blockErrors(block: JsonObject, path: string): FieldError[] {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [required(`${path}.cidr`)];
  return [
    ...rangeErrors(cidr, `${path}.cidr`),
    ...listAt(block, 'except')
      .map(String)
      .flatMap((one, index) => exceptErrors(one, `${path}.except[${index}]`, cidr)),
  ];
}

function exceptErrors(range: string, path: string, cidr: string): FieldError[] {
  const wrong = rangeErrors(range, path);
  const comparable = [range, cidr].every((one) => rangeErrors(one, path).length === 0);
  return !comparable || isWithin(range, cidr)
    ? wrong
    : [invalid(path, range, 'must be a strict subset of `cidr`')];
}

export const networkPolicyKind: KindEntry = {
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  strategy: networkPolicy,
  printer: printer([
    cell('Pod-Selector', (object) => selectorText(objectAt(object, 'spec').podSelector)),
    ageCell,
  ]),
};
