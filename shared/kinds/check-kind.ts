import { Type } from 'typebox';
import { Errors } from 'typebox/schema';
import { canonicalJson, isDeeperThan, isMap, withoutUndefined } from '../canonical.ts';
import {
  apiVersionOf,
  isClusterScoped,
  type JsonObject,
  qualifiedName,
  type ResourceType,
  titleOf,
} from '../kubernetes.ts';
import { aDayLater } from './a-day-later.ts';
import { builtInProblem } from './built-in-types.ts';
import { states } from './condition-types.ts';
import type { Child, ChildName, Kind, StatusInput } from './define-kind.ts';
import {
  digestOf,
  dnsLabel,
  label,
  labelValue,
  namespaceName,
  objectName,
  statefulSetName,
} from './names.ts';
import { type FindObject, readTypesOf, secretDigestPrefix } from './reads.ts';
import type { Resource } from './resource.ts';
import { unknownField, withDefaults } from './schema-defaults.ts';
import { structuralSchema } from './structural-schema.ts';

/**
 * What is wrong with a kind's samples and the children that it wants for them: texts with the kind, the
 * place and a remedy.
 *
 * Flow: for each sample, `children` is called with frozen input, and, a day later
 * by the clock that it can read, with an equal one; then for resources of other names with the specification of the sample.
 * Caveats: code that no sample reaches is not checked.
 */
export function checkKind(kind: Kind): readonly string[] {
  if (kind.samples.length === 0)
    return [`${kind.kind}: samples is empty; add one, for which the children are checked`];
  return sampleResources(kind).flatMap((resource) => {
    const place = `${kind.kind}: sample ${resource.name}`;
    const own = sampleProblems(kind, resource).map((problem) => `${place}: ${problem}`);
    const existing = `${place}, whose ConfigMaps and Secrets exist and are empty`;
    const problems =
      own.length > 0
        ? own
        : readingProblems(kind, resource).map((problem) => `${existing}: ${problem}`);
    return problems.length > 0 ? problems : otherNames.flatMap(problemsOf(kind, resource));
  });
}

/** The samples of a kind as a run would read them, with the defaults of its schema. */
export function sampleResources(kind: Kind): readonly Resource<JsonObject>[] {
  const structural = structuralSchema(kind.schema.spec, kind.kind);
  return kind.samples.map(({ name, spec }) => ({
    ...{ name, namespace: isClusterScoped(kind) ? '' : 'default', uid: 'uid-of-the-sample' },
    spec: withDefaults(structural, structuredClone(spec)) as JsonObject,
  }));
}

/** Legal names of resources that are not legal names of all children. */
const otherNames = ['1.with.dots', `a${'-long'.repeat(50)}er`];

const problemsOf =
  (kind: Kind, sample: Resource<JsonObject>) =>
  (name: string): readonly string[] => {
    const result = attempt(kind, { ...sample, name });
    if ('invalid' in result) return [];
    const shown = name.length > 20 ? `with a name of ${name.length} characters` : `called ${name}`;
    const place = `${kind.kind}: resource ${shown}`;
    const remedy =
      'use the functions of names.ts, as workloadName, or limit the name by the rule nameAtMost';
    if ('thrown' in result) return [`${place}: ${result.thrown}`];
    return childrenProblems(kind, result.children).map(
      (problem) => `${place}: ${problem}; ${remedy}`,
    );
  };

/** More than any manifest has; a body may contain itself. */
const maxLevels = 64;

type Attempt =
  | { readonly children: readonly Child[] }
  | { readonly invalid: string }
  | { readonly thrown: string };

function attempt(kind: Kind, resource: Resource<JsonObject>, find?: FindObject): Attempt {
  try {
    const desired = kind.desired(resource, find);
    return 'invalid' in desired ? { invalid: desired.invalid } : { children: desired };
  } catch (error) {
    return { thrown: withoutKind(kind, error) };
  }
}

const withoutKind = ({ kind }: Kind, error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(`${kind}: `, '');

function sampleProblems(kind: Kind, resource: Resource<JsonObject>): readonly string[] {
  const schema = structuralSchema(kind.schema.spec, kind.kind);
  const unknown = unknownField(schema, resource.spec, 'spec');
  if (unknown !== undefined) return [`${unknown} is not in the schema; add it there, or remove it`];
  const first = attempt(kind, deepFreeze(structuredClone(resource)));
  if ('thrown' in first)
    return 'thrown' in attempt(kind, structuredClone(resource))
      ? [first.thrown]
      : [`children modifies its input; copy what it changes: ${first.thrown}`];
  if ('invalid' in first) return [`the kind itself refuses it: ${first.invalid}`];
  const { children } = first;
  const values = children.flatMap((child) =>
    isDeeperThan(maxLevels, child.body)
      ? [`${nameOf(child)}: body is nested deeper than ${maxLevels} levels`]
      : valueProblems(child.body, `${nameOf(child)}: body`).slice(0, 1),
  );
  if (values.length > 0) return values;
  const again = aDayLater(() => attempt(kind, deepFreeze(structuredClone(resource))));
  const changed = differing(children, 'children' in again ? again.children : []);
  const references = [0, 1].map(() => JSON.stringify(kind.references(resource)));
  return [
    ...(references[0] === references[1]
      ? []
      : ['reads names other objects when it is called again; no clock or random source may count']),
    ...(changed === undefined
      ? []
      : [
          `${changed} is another one when children is called again; no clock, random source or earlier call may count`,
        ]),
    ...childrenProblems(kind, children),
    ...statusProblems(kind, resource),
  ];
}

/** What it refers to may exist; of other types it is not known what they hold. */
function readingProblems(kind: Kind, resource: Resource<JsonObject>): readonly string[] {
  if (kind.refersTo.length === 0) return [];
  const find: FindObject = ({ type, name }) => {
    if (typeName(type) === 'v1 ConfigMap') return { name, data: {}, digest: digestOf({}) };
    const digest = `${secretDigestPrefix}${digestOf({})}`;
    return typeName(type) === 'v1 Secret' ? { name, keys: [], digest } : undefined;
  };
  const found = attempt(kind, resource, find);
  if ('thrown' in found) return [found.thrown];
  return 'children' in found ? childrenProblems(kind, found.children) : [];
}

/** A run may find none of the children, in any state. */
function statusProblems(kind: Kind, { name, namespace }: Resource<JsonObject>): readonly string[] {
  const children: StatusInput['children'] = [];
  try {
    for (const state of states) {
      const problem = statusProblem(kind, kind.statusOf({ name, namespace, state, children }));
      if (problem !== undefined) return [problem];
      kind.conditionsOf({ name, namespace, state, children });
    }
    return [];
  } catch (error) {
    return [`while no child exists: ${withoutKind(kind, error)}`];
  }
}

/** What the API server would refuse, which would keep every status of the resource from being written. */
function statusProblem({ schema }: Kind, status: JsonObject): string | undefined {
  const declared = Type.Partial(Type.Object(schema.status));
  const unknown = unknownField(structuralSchema(declared, 'status'), status, 'status');
  if (unknown !== undefined)
    return `statusOf returned ${unknown}; declare it in status of the kind`;
  const [wrong] = Errors(declared, withoutUndefined(status))[1];
  return (
    wrong &&
    `statusOf returned a status whose ${wrong.instancePath.slice(1) || 'value'} ${wrong.message}`
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/** The first child that is not the same in both. */
function differing(one: readonly Child[], other: readonly Child[]): string | undefined {
  const texts = other.map(textOf);
  const at = one.findIndex((child, index) => textOf(child) !== texts[index]);
  const found = at < 0 ? other[one.length] : one[at];
  return found && nameOf(found);
}

/** Others by their names, as a child may name itself. */
const textOf = ({ type, needs = [], actsOn, generated, ...rest }: Child): string =>
  canonicalJson({
    ...rest,
    type: typeName(type),
    needs: needs.map(keyOf),
    actsOn: actsOn && keyOf(actsOn),
    generated: generated && { keys: generated.keys, usedBy: generated.usedBy.map(keyOf) },
  } as never);

/** What JSON does not have. An absent field may be undefined. */
function valueProblems(value: unknown, path: string): readonly string[] {
  if (value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value))
    return [];
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;
  if (!isPlain) return [`${path} is ${String(value)}, which is no JSON value`];
  return Object.entries(value as object).flatMap(([name, inner]) =>
    inner === undefined && !Array.isArray(value)
      ? []
      : valueProblems(inner, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`),
  );
}

const typeName = (type: ResourceType): string => `${apiVersionOf(type)} ${type.kind}`;
const nameOf = ({ type, name, namespace }: ChildName): string =>
  titleOf({ kind: type.kind, namespace, name });
const keyOf = ({ type, name, namespace }: ChildName): string =>
  `${typeName(type)} ${qualifiedName(namespace, name)}`;

function childrenProblems(kind: Kind, children: readonly Child[]): readonly string[] {
  const keys = children.map(keyOf);
  const twice = children.filter((child, at) => keys.indexOf(keyOf(child)) < at);
  return [
    ...twice.map((child) => `${nameOf(child)} is wanted twice; give one of them another name`),
    ...children.flatMap((child) =>
      [
        ...typeProblems(kind, child),
        ...metadataProblems(child),
        ...Object.keys(child.body)
          .filter((name) => Object.hasOwn(notInBody, name))
          .map((name) => `body has ${name}; ${notInBody[name]}`),
        ...secretProblems(child),
        ...relationProblems(child, keys),
      ].map((problem) => `${nameOf(child)}: ${problem}`),
    ),
    ...circular(children).map(
      (child) =>
        `${nameOf(child)} waits for itself; remove one of the needs or actsOn in the circle`,
    ),
  ];
}

const notInBody: Readonly<Record<string, string>> = {
  apiVersion: 'it follows from type',
  kind: 'it follows from type',
  metadata: 'set name, labels and annotations beside body',
  status: 'it belongs to the controller of the type',
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The API server's own message would be withheld. */
function secretProblems({ type, body }: Child): readonly string[] {
  if (typeName(type) !== 'v1 Secret') return [];
  const data = isMap(body.data) ? body.data : {};
  return [
    ...(body.stringData === undefined
      ? []
      : ['body has stringData, which cannot be compared; use data, in base64']),
    ...Object.keys(data)
      .filter((key) => !base64.test(String(data[key] ?? '')))
      .map((key) => `data ${key} is not base64; use Buffer.from(text).toString('base64')`),
  ];
}

function typeProblems(kind: Kind, { type, generated }: Child): readonly string[] {
  const owned = kind.owns.map(typeName);
  const known = [...owned, ...readTypesOf(kind).map(typeName)];
  const imitated = builtInProblem(type);
  const unread = (generated?.usedBy ?? []).filter((user) => !known.includes(typeName(user.type)));
  return [
    ...(owned.includes(typeName(type)) ? [] : [`its type is not in owns; add it`]),
    ...(imitated === undefined ? [] : [`type: ${imitated}`]),
    ...(generated === undefined || typeName(type) === 'v1 Secret'
      ? []
      : ['generated is for Secrets; keep the values in one']),
    ...unread.map((user) => `generated.usedBy ${nameOf(user)}: its type is not in reads; add it`),
  ];
}

/** RBAC allows colons and capitals, as in `system:node`. */
const rbacName = (text: string): string =>
  text.length <= 253 && !/[/%]|^\.{0,2}$/.test(text) ? text : objectName(text);

/** The same text if the server accepts it as a name of the type. */
const legalNames: Readonly<Record<string, (text: string) => string>> = {
  'v1 Service': dnsLabel,
  'v1 Namespace': namespaceName,
  'apps/v1 StatefulSet': statefulSetName,
  ...Object.fromEntries(
    ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => [
      `rbac.authorization.k8s.io/v1 ${kind}`,
      rbacName,
    ]),
  ),
};

const legalKey =
  /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

function metadataProblems(child: Child): readonly string[] {
  const { type, name, namespace = 'default', labels = {}, annotations = {} } = child;
  const legal = legalNames[typeName(type)] ?? objectName;
  const own: readonly string[] = Object.values(label);
  const keys = [...Object.keys(labels), ...Object.keys(annotations)];
  return [
    ...(legal(name) === name ? [] : [`no ${type.kind} can have this name`]),
    ...(namespaceName(namespace) === namespace ? [] : ['no namespace can have this name']),
    ...keys.filter((key) => !legalKey.test(key)).map((key) => `no label can be called ${key}`),
    ...Object.keys(labels)
      .filter((key) => own.includes(key))
      .map((key) => `label ${key} is set by the engine; remove it`),
    ...Object.entries(labels)
      .filter(([, value]) => labelValue(value) !== value)
      .map(([key, value]) => `label ${key} cannot be ${value}; use labelValue`),
  ];
}

const waitsFor = ({ needs = [], actsOn }: Child): readonly ChildName[] => [
  ...needs,
  ...(actsOn === undefined ? [] : [actsOn]),
];

const relationProblems = (
  { type, needs = [], actsOn }: Child,
  keys: readonly string[],
): readonly string[] => [
  ...(type.retained && actsOn !== undefined
    ? [
        `actsOn is not for a ${type.kind}, as it would be deleted once ${nameOf(actsOn)} is foreign; use needs`,
      ]
    : []),
  ...Object.entries({ needs, actsOn: actsOn === undefined ? [] : [actsOn] }).flatMap(
    ([field, named]) =>
      named
        .filter((other) => !keys.includes(keyOf(other)))
        .map((other) => `${field} names ${nameOf(other)}, which is not a child of the resource`),
  ),
];

/** The children that wait for themselves. */
function circular(children: readonly Child[]): readonly Child[] {
  const byKey = new Map(children.map((child) => [keyOf(child), child]));
  const reaches = (from: Child, to: Child, seen: Set<Child>): boolean =>
    waitsFor(from).some((name) => {
      const next = byKey.get(keyOf(name));
      if (next === to) return true;
      if (next === undefined || seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  return children.filter((child) => reaches(child, child, new Set()));
}
