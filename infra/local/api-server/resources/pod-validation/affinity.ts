import type { FieldError } from '../../errors/errors.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../objects/names.ts';
import {
  isMap,
  type JsonMap,
  listAt,
  mapAt,
  mapsAt,
  numberAt,
  textAt,
} from '../../objects/object.ts';
import { invalid, required } from '../../schema/field-error.ts';
import { misnamed } from '../bounds.ts';
import { countErrors, keyAndValueErrors, labelSelectorErrors } from '../label-rules.ts';
import { labelKeysErrors } from './label-keys.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** What is wrong with the nodes and pods that a pod wants to be near, or far from. */
export const affinityErrors = (spec: JsonMap, path: string): FieldError[] => {
  const affinity = mapAt(spec, 'affinity');
  const field = `${path}.affinity`;
  return [
    ...nodeErrors(mapAt(affinity, 'nodeAffinity'), `${field}.nodeAffinity`),
    ...podErrors(mapAt(affinity, 'podAffinity'), `${field}.podAffinity`),
    ...podErrors(mapAt(affinity, 'podAntiAffinity'), `${field}.podAntiAffinity`),
  ];
};

const nodeErrors = (affinity: JsonMap, path: string): FieldError[] => {
  const selector = affinity[REQUIRED];
  return [
    ...(isMap(selector) ? termsErrors(selector, `${path}.${REQUIRED}.nodeSelectorTerms`) : []),
    ...mapsAt(affinity, PREFERRED).flatMap((one, index) => {
      const field = `${path}.${PREFERRED}[${index}]`;
      const preference = mapAt(one, 'preference');
      return [...weightErrors(one, field), ...termErrors(preference, `${field}.preference`, true)];
    }),
  ];
};

const termsErrors = (selector: JsonMap, path: string): FieldError[] => {
  const terms = mapsAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => termErrors(term, `${path}[${index}]`, false));
};

const weightErrors = (one: JsonMap, path: string): FieldError[] => {
  const weight = numberAt(one, 'weight') ?? 0;
  if (weight > 0 && weight <= 100) return [];
  return [invalid(`${path}.weight`, weight, 'must be in the range 1-100')];
};

/** What is only preferred may have values that no label has. */
const termErrors = (term: JsonMap, path: string, isPreferred: boolean): FieldError[] => [
  ...mapsAt(term, 'matchExpressions').flatMap((one, index) => {
    const field = `${path}.matchExpressions[${index}]`;
    const keyOnly = { ...one, values: [] };
    return [
      ...operatorErrors(one, field),
      ...keyAndValueErrors(isPreferred ? keyOnly : one, field),
    ];
  }),
  ...mapsAt(term, 'matchFields').flatMap((one, index) =>
    nodeFieldErrors(one, `${path}.matchFields[${index}]`),
  ),
];

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const UNKNOWN = 'not a valid selector operator';

const operatorErrors = (one: JsonMap, path: string): FieldError[] => {
  const operator = textAt(one, 'operator');
  if (operator === 'Gt' || operator === 'Lt') {
    const why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    return listAt(one, 'values').length === 1 ? [] : [required(`${path}.values`, why)];
  }
  if (OPERATORS.includes(operator)) return countErrors(one, path);
  return [invalid(`${path}.operator`, operator, UNKNOWN)];
};

/** The only field of a node to select by is its name. */
const nodeFieldErrors = (one: JsonMap, path: string): FieldError[] => {
  const [key, operator] = [textAt(one, 'key'), textAt(one, 'operator')];
  const values = listAt(one, 'values').map(String);
  const isKnown = operator === 'In' || operator === 'NotIn';
  const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isKnown ? [] : [invalid(`${path}.operator`, operator, UNKNOWN)]),
    ...(isKnown && values.length !== 1 ? [required(`${path}.values`, why)] : []),
    ...(key === 'metadata.name'
      ? values.flatMap((value, index) => misnamed(value, `${path}.values[${index}]`, dnsSubdomain))
      : [invalid(`${path}.key`, key, 'not a valid field selector key')]),
  ];
};

const podErrors = (affinity: JsonMap, path: string): FieldError[] => [
  ...mapsAt(affinity, REQUIRED).flatMap((term, index) =>
    podTermErrors(term, `${path}.${REQUIRED}[${index}]`),
  ),
  ...mapsAt(affinity, PREFERRED).flatMap((one, index) => {
    const field = `${path}.${PREFERRED}[${index}]`;
    const term = mapAt(one, 'podAffinityTerm');
    return [...weightErrors(one, field), ...podTermErrors(term, `${field}.podAffinityTerm`)];
  }),
];

const podTermErrors = (term: JsonMap, path: string): FieldError[] => {
  const topology = textAt(term, 'topologyKey');
  return [
    ...labelSelectorErrors(term.labelSelector, `${path}.labelSelector`),
    ...labelSelectorErrors(term.namespaceSelector, `${path}.namespaceSelector`),
    ...listAt(term, 'namespaces').flatMap((name) =>
      misnamed(String(name), `${path}.namespace`, dnsLabel),
    ),
    ...labelKeysErrors(term, path),
    ...(topology === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...misnamed(topology, `${path}.topologyKey`, qualifiedName),
  ];
};
