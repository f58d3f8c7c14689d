import { difference, type FieldSet, intersection, isEmpty, union } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldsOf } from './owned-fields.ts';
import { removeFields, withNamedFields } from './remove.ts';

/**
 * Takes out what the manager applied last time, does not apply now, and nobody else owns.
 *
 * Flow: remove all that was applied last; put back what anyone owns now; put back what the manager
 * never owned, for an item goes with its parts.
 */
export function pruneDropped(
  merged: unknown,
  last: FieldSet,
  { owned, applied, type }: { owned: () => FieldSet; applied: FieldSet; type: MergeType },
): unknown {
  // An apply names every parent of what it names, so then all of it is put back.
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
