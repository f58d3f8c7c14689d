import { isFields, valueAt } from '../../json.ts';
import { engineConditions, rolloutCondition } from '../condition-types.ts';
import { legalDnsLabel, legalDomain, namespaceName, objectName } from '../names.ts';
import { rolloutBudget } from '../rollout-budget.ts';
import {
  aFlag,
  aFunction,
  and,
  anObject,
  anyString,
  aType,
  integerFrom,
  isText,
  isType,
  listOf,
  mapOf,
  matching,
  must,
  oneOf,
  optional,
  withFields,
  withOnly,
} from './shape.ts';

const nameOf = ({ name }: { readonly name: string }): string => name;

const aLabel = matching(
  legalDnsLabel,
  'lower-case letters, digits and dashes, at most 63, beginning with a letter',
);
const aKind = matching(
  /^[a-z]([a-z0-9-]{0,57}[a-z0-9])?$/i,
  'letters, digits and dashes, at most 59, beginning with a letter',
);
const aGroup = and(
  matching(legalDomain, 'a domain with a dot, such as example.org'),
  must(
    (group) => !/(^|\.)(k8s|kubernetes)\.io$/.test(String(group)),
    'a domain of your own, because Kubernetes reserves this one',
  ),
);
const conditionType =
  /^(?=.{1,316}$)([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const aConditionType = and(
  matching(conditionType, 'a name such as DatabaseReachable'),
  must(
    (type) => ![...engineConditions, rolloutCondition].includes(String(type)),
    'another name, because the engine sets this condition for every kind',
  ),
);
const aResourceName = must(
  (name) => isText(name) && objectName(name) === name,
  'a name that a resource can have',
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

const definition = withOnly({
  group: aGroup,
  version: aLabel,
  kind: aKind,
  plural: aLabel,
  scope: optional(oneOf('Namespaced', 'Cluster')),
  versions: optional(
    listOf(withFields({ name: aLabel, served: aFlag, deprecated: optional(aFlag) }), nameOf),
  ),
  shortNames: optional(listOf(aLabel, String)),
  categories: optional(listOf(aLabel, String)),
  spec: must(isFields, 'a Type.Object'),
  status: optional(
    and(
      must(
        (fields) => valueAt(fields, 'type') !== 'object',
        'the fields without Type.Object: { ready: Type.Integer() }',
      ),
      mapOf(
        must(isFields, 'a schema, such as Type.Integer()'),
        'an object of schemas: { ready: Type.Integer() }',
      ),
    ),
  ),
  scale: optional(
    withFields({
      specReplicasPath: anyString,
      statusReplicasPath: anyString,
      labelSelectorPath: optional(anyString),
    }),
  ),
  columns: optional(
    listOf(withFields({ name: anyString, type: anyString, jsonPath: anyString }), nameOf),
  ),
  rules: optional(
    listOf(
      withFields({
        rule: anyString,
        message: anyString,
        fieldPath: optional(anyString),
        holds: optional(aFunction),
      }),
    ),
  ),
  samples: listOf(withFields({ name: aResourceName, spec: anObject }), nameOf),
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
  conditions: optional(listOf(aConditionType, String)),
  conditionsOf: optional(aFunction),
  notes: optional(aFunction),
});

/** Returns a problem for each field of a definition that is missing, unknown or malformed. */
export const definitionProblems = (given: unknown): readonly string[] =>
  definition(given).map((problem) => problem.slice(1));

/** Reports whether a value looks like a result of `defineKind`. */
export const isKind = (value: unknown): boolean =>
  isType(value) && typeof (value as { readonly desired?: unknown }).desired === 'function';
