import { canonicalJson, isMap } from '../../canonical.ts';
import {
  beforeFirstApply,
  generatedManager,
  handOverManager,
  type Identity,
} from '../../identity.ts';
import { valueAt } from '../../json.ts';
import type { Json, JsonObject, KubeObject } from '../../kubernetes.ts';
import { underPresentName } from '../observed/former.ts';
import { consolidated } from '../observed/legacy.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import { shortened } from '../observed/short-text.ts';
import type { ReadTarget } from '../observed/world.ts';
import type { Create, Decision, Update, WriteDecision } from './decision.ts';

/**
 * One check or request of a decision. The first write is locked to the decision's version, each further
 * one to the version that the previous one returned.
 */
export type Step =
  | CheckStep
  /** Reads the child, which must still have the version that the decision is locked to. */
  | { readonly verb: 'get' }
  | Apply
  | Patch
  | { readonly verb: 'delete' };

/**
 * Checks that the basis of a write is unchanged:
 * - `absence`: no object of a name exists;
 * - `resource`: the spec is the same; with `ifOld`, it is read only if the last read is no longer fresh;
 * - `exposed`: the resource's objects of this type expose the same paths as in the plan.
 */
export type CheckStep = { readonly verb: 'check' } & (
  | { readonly what: 'absence'; readonly ref: ReadTarget }
  | { readonly what: 'resource'; readonly ifOld: boolean }
  | { readonly what: 'exposed' }
);

export interface Apply {
  readonly verb: 'apply';
  readonly manager: string;
  /** The body, without identity and lock. */
  readonly fields: JsonObject;
  /** Keys of `data` that get random values. */
  readonly generates?: readonly string[];
}

export interface Patch {
  readonly verb: 'patch';
  readonly manager: string;
  /** The JSON patch, given the object as last read or returned; if it is empty, nothing is sent. */
  readonly operations: (live: KubeObject | undefined) => readonly JsonObject[];
  /** Sent only if legacy managedFields entries name fields of our Apply entry. */
  readonly ifLegacy?: true;
  /** Puts managedFields of a former name under the present one, and changes nothing else. */
  readonly renames?: true;
}

/**
 * All requests of a decision, in order: performing sends them, previewing prints them.
 *
 * Flow: checks; managedFields of a former name become ours; the patch that removes fields of other managers; generated
 * data with the labels and the owner, so that the Secret is ours even if the run dies then; values that are handed
 * over; our own apply; the consolidation of legacy managedFields entries.
 * Guarantees: generated data has its own manager, so no later apply of ours contains, drops or changes the values.
 */
export const stepsOf = (decision: WriteDecision, identity: Identity): readonly Step[] => [
  ...checksBefore(decision),
  ...writesOf(decision, identity),
];

function checksBefore(decision: WriteDecision): readonly Step[] {
  const { exposure } = decision.type;
  const usedBy = ('usedBy' in decision ? decision.usedBy : undefined) ?? [];
  const ifOld = decision.verb !== 'delete' && exposure === undefined;
  return [
    ...usedBy.map((ref): Step => ({ verb: 'check', what: 'absence', ref })),
    { verb: 'check', what: 'resource', ifOld },
    ...(exposure === undefined ? [] : [{ verb: 'check', what: 'exposed' } as const]),
  ];
}

function writesOf(decision: WriteDecision, identity: Identity): readonly Step[] {
  const manager = identity.name;
  switch (decision.verb) {
    case 'create':
      return [...generation(decision, identity), apply(manager, decision.fields)];
    case 'update':
      return updateOf(decision, identity);
    case 'consolidate':
      return [{ verb: 'get' }, managersPatch(identity, consolidated)];
    case 'withdraw': {
      // An apply would have to repeat all other fields that we ever applied.
      const { path, to } = decision.difference;
      const replace = { op: 'replace', path: `/${path.replaceAll('.', '/')}`, value: to };
      return [{ verb: 'patch', manager, operations: () => [replace] }];
    }
    case 'delete':
      return [{ verb: 'delete' }];
  }
}

function updateOf(decision: Update, identity: Identity): readonly Step[] {
  const { untangles, renames, handOver, fields } = decision;
  const manager = identity.name;
  return [
    ...(renames ? [{ verb: 'get' } as const] : []),
    ...(renames ? [{ ...managersPatch(identity, renamed), renames }] : []),
    ...(untangles === undefined
      ? []
      : [{ verb: 'patch', manager, operations: () => untangles } as const]),
    ...generation(decision, identity),
    ...(handOver === undefined ? [] : [apply(handOverManager(identity), handOver)]),
    apply(identity.name, fields),
    { ...managersPatch(identity, consolidated), ifLegacy: true },
  ];
}

const apply = (manager: string, fields: JsonObject): Apply => ({ verb: 'apply', manager, fields });

const generation = (
  { fields, generates }: Create | Update,
  identity: Identity,
): readonly Apply[] =>
  generates === undefined
    ? []
    : [{ ...apply(generatedManager(identity), { metadata: fields.metadata }), generates }];

const managersPatch = (identity: Identity, entriesOf: typeof consolidated): Patch => ({
  verb: 'patch',
  manager: identity.name,
  operations: (live) => [
    {
      op: 'replace',
      path: '/metadata/managedFields',
      value: live === undefined ? [] : entriesOf(live, identity),
    },
  ],
});

const renamed: typeof consolidated = ({ metadata }, identity) =>
  underPresentName(metadata.managedFields ?? [], identity);

/** The basis of a decision: the child as observed and, if that is not enough, the whole object. */
export interface Basis {
  readonly observed: ObservedChild | undefined;
  readonly live: KubeObject | undefined;
}

/** Reports whether the steps of a decision depend on the whole object. */
export const needsLive = (decision: Decision): boolean =>
  decision.verb === 'update' &&
  (decision.untangles !== undefined ||
    decision.differences.some(({ path }) => path === managersPath));

const managersPath = 'metadata.managedFields';

/**
 * The steps that will be taken if nothing changes meanwhile and the server refuses none.
 *
 * Caveats: a refusal (422) that managedFields did not show takes more requests; so does a write that loses a race.
 */
export function expectedSteps(
  decision: WriteDecision,
  basis: Basis,
  identity: Identity,
): readonly Step[] {
  let removals: readonly JsonObject[] = [];
  return stepsOf(decision, identity).filter((step) => {
    if (step.verb === 'check') return step.what !== 'resource' || !step.ifOld;
    if (step.verb !== 'patch' || step.renames) return true;
    if (step.ifLegacy)
      return (
        decision.verb === 'update' &&
        leavesLegacy(decision.fields, basis, { removals, manager: step.manager })
      );
    removals = step.operations(basis.live);
    return removals.length > 0;
  });
}

/** Reports whether legacy entries will name fields of our Apply entry once `fields` are applied. */
function leavesLegacy(
  fields: JsonObject,
  { observed, live }: Basis,
  { removals, manager }: { readonly removals: readonly JsonObject[]; readonly manager: string },
): boolean {
  // Our patch leaves an Update entry of ours if it adds something.
  if (removals.some((operation) => adds(operation, live))) return true;
  // The first apply to an object without managers assigns all its fields to before-first-apply.
  if (live !== undefined && (live.metadata.managedFields ?? []).length === 0) return true;
  return (observed?.others ?? [])
    .filter((other) => other.manager === beforeFirstApply || other.manager === manager)
    .map(openEntry)
    .some(({ value, listKeys }) => shares(shortened(fields), value, { path: '', listKeys }));
}

function adds({ path, value }: JsonObject, live: KubeObject | undefined): boolean {
  const before = valueAt(live, ...String(path).split('/').slice(1));
  if (!Array.isArray(value))
    return value !== undefined && canonicalJson(value) !== canonicalJson(before);
  const present = new Set(Array.isArray(before) ? before.map(canonicalJson) : []);
  return value.some((item) => !present.has(canonicalJson(item)));
}

interface ListContext {
  readonly path: string;
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reports whether a leaf has the same value in both. A forced apply takes over only different values, so the
 * other entry keeps it.
 */
function shares(wanted: Json | undefined, held: Json | undefined, context: ListContext): boolean {
  const { path, listKeys } = context;
  if (isMap(wanted) && isMap(held))
    return Object.keys(wanted).some((field) =>
      shares(wanted[field], held[field], { path: join(path, field), listKeys }),
    );
  const keys = listKeys[path];
  if (!Array.isArray(wanted) || !Array.isArray(held) || keys === undefined)
    return canonicalJson(wanted) === canonicalJson(held);
  return wanted.some((item) => held.some((other) => sharesItem(item, other, keys)));
}

function sharesItem(wanted: Json, held: Json, keys: readonly string[]): boolean {
  if (!isMap(wanted) || !isMap(held)) return canonicalJson(wanted) === canonicalJson(held);
  if (keys.some((key) => wanted[key] !== held[key])) return false;
  // The keys are in every entry that names any field of the item.
  const less = (item: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(item).filter(([field]) => !keys.includes(field)));
  return shares(less(wanted), less(held), { path: '', listKeys: {} });
}
