import { Type } from 'typebox';
import { Errors } from 'typebox/schema';
import { canonicalJson, isDeeperThan, withoutUndefined } from '../canonical.ts';
import { isClusterScoped, type JsonObject } from '../kubernetes.ts';
import { aDayLater } from './a-day-later.ts';
import { childrenProblems, keyOf, nameOf, typeName } from './check-children.ts';
import type { Child } from './child.ts';
import { states } from './condition-types.ts';
import type { Kind, StatusInput } from './kind.ts';
import { digestOf } from './names.ts';
import { type FindObject, secretDigestPrefix } from './reads.ts';
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
  });

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
