import type { JsonObject } from '../../kubernetes.ts';
import { desiredDigest } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';
import { isChangedByOthers } from './contest.ts';
import type { Difference } from './differences.ts';
import { type Kept, omitPlace } from './kept-values.ts';
import { placeOf, valueIn, withValueAt } from './places.ts';

/** A write that waits. */
interface Change {
  readonly fields: JsonObject;
  readonly kept?: Pick<Kept, 'fields'> | undefined;
  readonly differences: readonly Difference[];
}

/**
 * Rebuilds the fields of the last apply, of which the status records only a digest. The returned `differences` are
 * changes that other writers have made to these fields since then.
 *
 * Flow: guesses which differences other writers have made. For the other differences, which the new version makes,
 * replaces the desired value with the value in our managedFields entry. Tries other guesses until the digest matches.
 *
 * Guarantees: the digest proves that each value in the result was applied before. Returns undefined if no guess matches.
 *
 * Caveats: finds nothing
 * - if the desired value of a field is new, and another writer took the field over or the server had changed its applied
 *   value: the former value is unknown;
 * - if the new version writes a value in another notation or adds an empty one: the stored values stay the same.
 */
export function lastApplied(
  { ours, salt }: ObservedChild,
  lastDigest: string,
  { fields, kept, differences }: Change,
): Omit<Change, 'kept'> | undefined {
  if (ours === undefined) return undefined;
  const held = openEntry(ours).value;
  const withHeld = (all: JsonObject, { path }: Difference): JsonObject => {
    const place = placeOf(held, path);
    return place
      ? (withValueAt(all, place, valueIn(held, place)) as JsonObject)
      : omitPlace(all, placeOf(all, path));
  };
  // Tries both sets of fields, because the last apply may have set fields that the kind now leaves to others.
  const bases = kept === undefined ? [fields] : [fields, kept.fields];
  for (const base of bases)
    for (const drift of subsetsOf(undoneBy(base, differences))) {
      const rebuilt = differences.filter((one) => !drift.includes(one)).reduce(withHeld, base);
      if (!hasShortened(rebuilt) && desiredDigest(rebuilt, salt) === lastDigest)
        return { fields: rebuilt, differences: drift };
    }
  return undefined;
}

/** Returns the changes by others that an apply of the fields undoes. A recreation also removes what only they set. */
export const undoneBy = (fields?: JsonObject, differences: readonly Difference[] = []) =>
  differences.filter((one) => isChangedByOthers(one) && placeOf(fields, one.path) !== undefined);

/** Returns the subsets, the full set first. Beyond `mostDifferences` there are too many, so returns only three. */
const subsetsOf = (differences: readonly Difference[]): readonly (readonly Difference[])[] =>
  differences.length > mostDifferences
    ? [differences, differences.filter(({ writer }) => writer !== undefined), []]
    : differences.reduce<readonly (readonly Difference[])[]>(
        (sets, one) => sets.flatMap((some) => [[...some, one], some]),
        [[]],
      );

const mostDifferences = 6;
