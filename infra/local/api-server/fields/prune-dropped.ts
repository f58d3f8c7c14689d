import { difference, type FieldSet, intersection, isEmpty, union } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldsOf } from './owned-fields.ts';
import { removeFields, withNamedFields } from './remove.ts';

/**
 * Removes what the manager applied last time, does not apply now, and no other manager owns.
 *
 * Flow: remove all that was applied last; restore what any manager owns now; restore what the manager
 * never owned, as removing an item removes all of its parts.
 */
export function pruneDropped(
  merged: unknown,
  last: FieldSet,
  { owned, applied, type }: { owned: () => FieldSet; applied: FieldSet; type: MergeType },
): unknown {
  // An apply owns every parent of its fields, so then all of it is restored.
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
