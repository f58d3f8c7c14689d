import { difference, type FieldSet, intersection, isEmpty, union } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldsOf } from './owned-fields.ts';
import { removeFields, withNamedFields } from './remove.ts';

/**
 * Removes the fields that the manager applied last time, does not apply now, and no other manager owns.
 *
 * Flow: remove all fields applied last time; restore those that any manager owns now; restore those that the
 * manager never owned, because removing an item removes all its parts.
 */
export function pruneDropped(
  merged: unknown,
  last: FieldSet,
  { owned, applied, type }: { owned: () => FieldSet; applied: FieldSet; type: MergeType },
): unknown {
  // Nothing was dropped. An apply owns every parent of its fields, so everything would be restored.
  if (isEmpty(difference(last, applied))) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const all = named(fieldsOf(merged, type));
  const remaining = (removed: FieldSet): FieldSet =>
    named(fieldsOf(removeFields(merged, removed, type), type));
  const withoutLast = remaining(named(last));
  const withOwned = remaining(difference(all, union(withoutLast, named(owned()))));
  const dropped = intersection(difference(all, withOwned), named(last));
  return isEmpty(dropped) ? merged : removeFields(merged, dropped, type);
}
