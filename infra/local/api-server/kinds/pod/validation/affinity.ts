import type { FieldError } from '../../../errors/field-error.ts';
import { invalid, required } from '../../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../json/value.ts';
import { misnamed } from '../../../objects/field-rules.ts';
import {
  countErrors,
  keyAndValueErrors,
  labelSelectorErrors,
} from '../../../objects/label-rules.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../../../objects/names.ts';
import { labelKeysErrors } from './label-keys.ts';

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates the affinity of a pod to nodes and to other pods. */
export function affinityErrors(spec: JsonObject, path: string): FieldError[] {
  const affinity = objectAt(spec, 'affinity');
  const field = `${path}.affinity`;
  return [
    ...nodeErrors(objectAt(affinity, 'nodeAffinity'), `${field}.nodeAffinity`),
    ...podErrors(objectAt(affinity, 'podAffinity'), `${field}.podAffinity`),
    ...podErrors(objectAt(affinity, 'podAntiAffinity'), `${field}.podAntiAffinity`),
  ];
}

function nodeErrors(affinity: JsonObject, path: string): FieldError[] {
  const selector = affinity[requiredTerms];
  return [
    ...(isObject(selector)
      ? termsErrors(selector, `${path}.${requiredTerms}.nodeSelectorTerms`)
      : []),
    ...objectsAt(affinity, preferredTerms).flatMap((one, index) => {
      const field = `${path}.${preferredTerms}[${index}]`;
      const preference = objectAt(one, 'preference');
      return [...weightErrors(one, field), ...termErrors(preference, `${field}.preference`, true)];
    }),
  ];
}

function termsErrors(selector: JsonObject, path: string): FieldError[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => termErrors(term, `${path}[${index}]`, false));
}

function weightErrors(one: JsonObject, path: string): FieldError[] {
  const weight = numberAt(one, 'weight') ?? 0;
  if (weight > 0 && weight <= 100) return [];
  return [invalid(`${path}.weight`, weight, 'must be in the range 1-100')];
}

/** A preference, unlike a requirement, may have values that are no label values. */
function termErrors(term: JsonObject, path: string, isPreferred: boolean): FieldError[] {
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((one, index) => {
      const field = `${path}.matchExpressions[${index}]`;
      const keyOnly = { ...one, values: [] };
      return [
        ...operatorErrors(one, field),
        ...keyAndValueErrors(isPreferred ? keyOnly : one, field),
      ];
    }),
    ...objectsAt(term, 'matchFields').flatMap((one, index) =>
      nodeFieldErrors(one, `${path}.matchFields[${index}]`),
    ),
  ];
}

const knownOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const unknownOperator = 'not a valid selector operator';

function operatorErrors(one: JsonObject, path: string): FieldError[] {
  const operator = textAt(one, 'operator');
  if (operator === 'Gt' || operator === 'Lt') {
    const why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    return listAt(one, 'values').length === 1 ? [] : [required(`${path}.values`, why)];
  }
  if (knownOperators.includes(operator)) return countErrors(one, path);
  return [invalid(`${path}.operator`, operator, unknownOperator)];
}

/** Nodes can be selected by only one field: their name. */
function nodeFieldErrors(one: JsonObject, path: string): FieldError[] {
  const [key, operator] = [textAt(one, 'key'), textAt(one, 'operator')];
  const values = listAt(one, 'values').map(String);
  const isKnown = operator === 'In' || operator === 'NotIn';
  const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isKnown ? [] : [invalid(`${path}.operator`, operator, unknownOperator)]),
    ...(isKnown && values.length !== 1 ? [required(`${path}.values`, why)] : []),
    ...(key === 'metadata.name'
      ? values.flatMap((value, index) => misnamed(value, `${path}.values[${index}]`, dnsSubdomain))
      : [invalid(`${path}.key`, key, 'not a valid field selector key')]),
  ];
}

function podErrors(affinity: JsonObject, path: string): FieldError[] {
  return [
    ...objectsAt(affinity, requiredTerms).flatMap((term, index) =>
      podTermErrors(term, `${path}.${requiredTerms}[${index}]`),
    ),
    ...objectsAt(affinity, preferredTerms).flatMap((one, index) => {
      const field = `${path}.${preferredTerms}[${index}]`;
      const term = objectAt(one, 'podAffinityTerm');
      return [...weightErrors(one, field), ...podTermErrors(term, `${field}.podAffinityTerm`)];
    }),
  ];
}

function podTermErrors(term: JsonObject, path: string): FieldError[] {
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
}
