import { isFields, valueAt } from '../../json.ts';
import { engineConditions, rolloutCondition } from '../condition-types.ts';
import { namespaceName } from '../names.ts';
import { rolloutBudget } from '../rollout-budget.ts';
import {
  aFunction,
  and,
  anObject,
  aText,
  aType,
  integerFrom,
  isText,
  isType,
  listOf,
  mapOf,
  matching,
  must,
  objectWith,
  oneOf,
  optional,
  withOnly,
} from './shape.ts';

const conditionType =
  /^(?=.{1,316}$)([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const aConditionType = and(
  matching(conditionType, 'a name such as DatabaseReachable'),
  must(
    (type) => ![...engineConditions, rolloutCondition].includes(String(type)),
    'another name, because the engine sets this condition for every kind',
  ),
);
const aBudget = must(
  (value) => rolloutBudget(String(value)) !== undefined,
  "a number such as 2, or a percentage such as '5%'",
);
const seconds = integerFrom(1, Number.MAX_SAFE_INTEGER, 'a whole number of seconds');

const isNamespace = (name: unknown): boolean => isText(name) && namespaceName(name) === name;
const places = must(
  (from) =>
    ['all', 'granted'].includes(from as string) ||
    (Array.isArray(from) && from.length > 0 && from.every(isNamespace)),
  "a list of namespaces, 'all' or 'granted'",
);
const ofResource = optional(
  must((value) => typeof value === 'function', 'a function of the resource: ({ spec }) => …'),
);

const objects = listOf(anObject);

/** The API server checks names and other parts of the CRD. */
const definition = withOnly({
  group: aText,
  version: aText,
  kind: aText,
  plural: aText,
  scope: optional(oneOf('Namespaced', 'Cluster')),
  versions: optional(objects),
  shortNames: optional(listOf(aText)),
  categories: optional(listOf(aText)),
  spec: must(isFields, 'a Type.Object'),
  status: optional(
    and(
      must(
        (fields) => valueAt(fields, 'type') !== 'object',
        'the fields themselves, such as { ready: Type.Integer() }, without Type.Object',
      ),
      mapOf(
        must(isFields, 'a schema, such as Type.Integer()'),
        'an object of schemas: { ready: Type.Integer() }',
      ),
    ),
  ),
  scale: optional(anObject),
  columns: optional(objects),
  rules: optional(listOf(objectWith({ message: aText, holds: optional(aFunction) }))),
  samples: listOf(objectWith({ name: aText, spec: anObject })),
  owns: listOf(aType),
  formerly: optional(listOf(aType)),
  reads: optional(
    mapOf(
      withOnly({
        type: aType,
        name: ofResource,
        names: ofResource,
        selector: ofResource,
        from: optional(places),
      }),
      'an object: { settings: { type, name } }',
    ),
  ),
  rolloutBudget: optional(aBudget),
  refuse: optional(aFunction),
  children: aFunction,
  finalize: optional(aFunction),
  finalizeSeconds: optional(seconds),
  statusOf: optional(aFunction),
  conditions: optional(listOf(aConditionType)),
  conditionsOf: optional(aFunction),
  notes: optional(aFunction),
});

export const definitionProblems = (given: unknown): readonly string[] =>
  definition(given).map((problem) => problem.slice(1));

export const isKind = (value: unknown): boolean =>
  isType(value) && typeof (value as { readonly desired?: unknown }).desired === 'function';
