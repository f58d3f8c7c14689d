import { isObject, type JsonObject, jsonEqual } from '../json/value.ts';
import type { SchemaSource } from '../schema/schema.ts';
import { fieldsTaken, withoutChanged, withoutIdentity } from './change.ts';
import { typingProblem } from './check-applied.ts';
import { compareObjects, noChange } from './compare.ts';
import { type Conflict, conflictsOf } from './conflict.ts';
import { type FieldSet, isEmpty, noFields, recursiveDifference, union } from './field-set.ts';
import { conflictsBeyondLastApplied, withLastApplied } from './last-applied.ts';
import {
  identify,
  type ManagedEntry,
  type Managers,
  managersOf,
  withManagers,
} from './managers.ts';
import { mergeObjects } from './merge.ts';
import { type MergeType, mergeType } from './merge-type.ts';
import { fieldsOf } from './owned-fields.ts';
import { pruneDropped } from './prune-dropped.ts';
import { reconcileSets } from './reconcile-set.ts';
import { trackUpdate, untrackable } from './update.ts';

export interface ApplyInput {
  readonly source: SchemaSource;
  /** The stored object; undefined if the apply creates it. */
  readonly live?: object | undefined;
  readonly applied: object;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  readonly force: boolean;
  /** RFC 3339, in seconds. */
  readonly now: string;
  readonly resetFields?: FieldSet | undefined;
}

export type ApplyResult =
  | { readonly kind: 'merged'; readonly object: JsonObject }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] }
  /** The applied or the live object does not fit the schema; the real server answers 500 with this message. */
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Merges an applied object into the live object and tracks which manager owns which field.
 *
 * Flow: merge; remove the fields that the manager applied before, no longer applies and no other manager owns; compare
 * with the live object. Changed fields of other managers are conflicts or, with force, change their owner.
 * Guarantees: an apply that changes nothing returns the live object itself. Equal values have several owners. The
 * arguments are not modified; the result shares unchanged parts with them.
 * Caveats: the caller applies defaults, prunes and validates the result, and calls `keepTimes` for a value that
 * differed only until it was normalized. Entries of other API versions are treated as entries of this version.
 */
export function serverSideApply(input: ApplyInput): ApplyResult {
  const type = mergeType(input.source);
  const inLive = input.live && untrackable(input.live, type);
  const refusal =
    untracked(input, inLive) ??
    untyped(input, 'patch', typingProblem(input.applied, type, 'refused')) ??
    untyped(input, 'live', inLive);
  if (refusal !== undefined) return refusal;
  const result = applyTracked(input, type);
  if (input.manager !== 'kubectl') return result;
  if (result.kind === 'merged') return withLastApplied(result, input.applied);
  if (result.kind === 'invalid') return result;
  const conflicts = conflictsBeyondLastApplied(result.conflicts, input.live, type);
  if (conflicts.length > 0) return { kind: 'conflict', conflicts };
  const forced = applyTracked({ ...input, force: true }, type);
  return forced.kind === 'merged' ? withLastApplied(forced, input.applied) : forced;
}

function untracked(
  { live = {} }: ApplyInput,
  problem: string | undefined,
): ApplyResult | undefined {
  if (problem === undefined || managersOf(live).size > 0) return undefined;
  return {
    kind: 'invalid',
    message: `failed to create manager for existing fields: failed to convert new object ${titleOf(live)} to smd typed: ${problem}`,
  };
}

function untyped(
  { applied }: ApplyInput,
  which: 'patch' | 'live',
  problem: string | undefined,
): ApplyResult | undefined {
  if (problem === undefined) return undefined;
  return {
    kind: 'invalid',
    message: `failed to create typed ${which} object ${titleOf(applied)}: ${problem}`,
  };
}

function titleOf(object: object): string {
  const { apiVersion, kind, metadata } = object as JsonObject;
  const given = isObject(metadata) ? metadata : {};
  const [namespace, name] = [given.namespace, given.name].map((text) =>
    typeof text === 'string' ? text : '',
  );
  const groupVersion = String(apiVersion).includes('/') ? apiVersion : `/${apiVersion}`;
  return `(${namespace}/${name}; ${groupVersion}, Kind=${kind})`;
}

function applyTracked(input: ApplyInput, type: MergeType): ApplyResult {
  const { manager, apiVersion, subresource, force, now, resetFields } = input;
  const { live, managers } = tracked(input, type);
  const applied = input.applied as JsonObject;
  const own = { manager, operation: 'Apply' as const, apiVersion, subresource: subresource ?? '' };
  const by = identify(own);
  const appliedFields = recursiveDifference(fieldsOf(applied, type), resetFields ?? noFields);
  const previous = managers.get(by);
  const entry: ManagedEntry = { ...previous, ...own, fieldsV1: appliedFields };
  const claimed = new Map(managers).set(by, entry);
  const object = mergeAndPrune({ live, applied, type, last: previous?.fieldsV1, claimed, entry });
  // Only another manager can lose fields.
  const isAlone = claimed.size === 1;
  const comparison = isAlone ? noChange : compareObjects(live, object, type, resetFields);
  const taken = fieldsTaken(claimed, { comparison, by });
  if (!force && taken.length > 0) return { kind: 'conflict', conflicts: conflictsOf(taken) };
  const changed = new Map(withoutChanged(claimed, { comparison, by }));
  changed.delete(by);
  const fieldsV1 = sameOr(previous?.fieldsV1, withoutIdentity(appliedFields));
  const time = object === live ? {} : { time: now };
  if (!isEmpty(fieldsV1)) changed.set(by, { ...entry, ...time, fieldsV1 });
  const isNoop = object === input.live && isSame(managersOf(live), changed);
  return { kind: 'merged', object: isNoop ? live : withManagers(object, changed) };
}

function sameOr(previous: FieldSet | undefined, fields: FieldSet): FieldSet {
  return previous !== undefined && jsonEqual(previous, fields) ? previous : fields;
}

function isSame(before: Managers, after: Managers): boolean {
  if (before.size !== after.size) return false;
  return [...before].every(([id, { apiVersion, fieldsV1 }]) => {
    const entry = after.get(id);
    return entry?.fieldsV1 === fieldsV1 && entry.apiVersion === apiVersion;
  });
}

function mergeAndPrune(merge: {
  live: JsonObject;
  applied: JsonObject;
  type: MergeType;
  last: FieldSet | undefined;
  claimed: Managers;
  entry: ManagedEntry;
}): JsonObject {
  const { live, applied, type, last, claimed, entry } = merge;
  const merged = mergeObjects(live, applied, type);
  if (last === undefined || isEmpty(last)) return merged;
  const owned = (): FieldSet =>
    [...claimed.values()].reduce((all, { fieldsV1 }) => union(all, fieldsV1), noFields);
  const pruned = pruneDropped(merged, last, { applied: entry.fieldsV1, owned, type });
  if (pruned === merged) return merged;
  return isObject(pruned) && !jsonEqual(pruned, live) ? pruned : live;
}

/** Returns the live object and its managers; an object without managers gets `before-first-apply`. */
function tracked(
  { source, live, apiVersion, subresource, now, resetFields }: ApplyInput,
  type: MergeType,
): { live: JsonObject; managers: Managers } {
  if (live === undefined) return { live: {}, managers: new Map() };
  const known = managersOf(live);
  if (known.size > 0) return { live: live as JsonObject, managers: reconcileSets(known, type) };
  const manager = 'before-first-apply';
  const recorded = trackUpdate({
    source,
    updated: live,
    manager,
    apiVersion,
    subresource,
    now,
    resetFields,
  });
  return { live: live as JsonObject, managers: managersOf(recorded) };
}
