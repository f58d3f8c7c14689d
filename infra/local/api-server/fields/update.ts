import { isObject, type JsonObject } from '../json/value.ts';
import { isBuiltIn, type SchemaSource } from '../schema/schema.ts';
import { capUpdates } from './cap-updates.ts';
import { withFields, withoutChanged, withoutIdentity } from './change.ts';
import { typingProblem } from './check-applied.ts';
import { compareObjects } from './compare.ts';
import { type FieldSet, isEmpty, noFields, recursiveDifference, union } from './field-set.ts';
import {
  identify,
  isReset,
  type ManagedEntry,
  type Managers,
  managersOf,
  requestedManagers,
  withManagers,
} from './managers.ts';
import { type MergeType, mergeType } from './merge-type.ts';
import { reconcileSets } from './reconcile-set.ts';
import { zeroObject } from './zero-object.ts';

export interface UpdateInput {
  readonly source: SchemaSource;
  /** The stored object; undefined for a create. */
  readonly old?: object | undefined;
  /** The object to store, with defaults and pruned. */
  readonly updated: object;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, in seconds; without it, new entries have no time. */
  readonly now?: string;
  readonly resetFields?: FieldSet | undefined;
}

/**
 * Updates managedFields after a POST, a PUT or a patch other than an apply.
 *
 * Guarantees: fields that the write adds or changes belong to the writer alone, and removed fields to nobody. Entries
 * without a change keep their time. An object whose managedFields are empty, or reset by the request, is not tracked
 * until it is applied. An object with list items that have no key is not tracked either.
 */
export function trackUpdate(input: UpdateInput): JsonObject {
  const { old, manager, apiVersion, subresource, now, resetFields = noFields } = input;
  const type = mergeType(input.source);
  const updated = input.updated as JsonObject;
  const managers = startingManagers(input);
  if (managers.size === 0 && old !== undefined) return withManagers(updated, managers);
  // Only built-in kinds store such items: the schema of a custom resource refuses them.
  if (isBuiltIn(input.source) && untrackable(updated, type) !== undefined)
    return withManagers(updated, new Map());
  const before = withoutManagers(old ?? zeroObject(input.source));
  const comparison = compareObjects(before, withoutManagers(updated), type, resetFields);
  const changed = new Map(withoutChanged(reconcileSets(managers, type), { comparison, by: '' }));
  const gained = union(comparison.modified, comparison.added);
  const own = withoutIdentity(recursiveDifference(gained, resetFields));
  if (!isEmpty(own)) {
    const entry: ManagedEntry = {
      manager: manager === '' ? 'unknown' : manager,
      operation: 'Update',
      apiVersion,
      ...(now === undefined ? {} : { time: now }),
      fieldsV1: own,
      subresource: subresource ?? '',
    };
    const previous = changed.get(identify(entry));
    const fields = previous === undefined ? own : union(own, previous.fieldsV1);
    changed.set(identify(entry), withFields(entry, fields));
  }
  return withManagers(updated, capUpdates(changed));
}

/** Explains why the fields of an object cannot be told apart; undefined if they can. */
export const untrackable = (object: object, type: MergeType): string | undefined =>
  typingProblem(withoutManagers(object), type, 'allowed');

// A subresource cannot set managedFields, and a client that does not know them must not clear them.
function startingManagers({ source, old, updated, subresource }: UpdateInput): Managers {
  if (subresource !== undefined && subresource !== '') return managersOf(old);
  if (isReset(updated, !isBuiltIn(source))) return new Map();
  return requestedManagers(updated) ?? managersOf(old);
}

function withoutManagers(object: object): JsonObject {
  const { metadata } = object as JsonObject;
  if (!isObject(metadata) || !('managedFields' in metadata)) return object as JsonObject;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
