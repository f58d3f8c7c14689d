import { canonicalJson, isMap, isSameJson } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { desiredDigest } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import { hasShortened, shortJson } from '../observed/short-text.ts';
import { isChangedByOthers } from './contest.ts';
import { type Difference, fieldsOf, type ListKeys } from './differences.ts';
import { type Kept, omit } from './kept-values.ts';

interface LastApplied {
  readonly fields: JsonObject;
  /** Changes that other writers have made to these fields since the last apply. */
  readonly differences: readonly Difference[];
}

/**
 * Rebuilds the fields of the last apply, of which the status records only a digest.
 *
 * Flow: guesses which fields other writers have taken over or removed. For these fields, takes the desired value; for
 * all others, the value in our managedFields entry. Tries other guesses until the digest matches.
 *
 * Guarantees: the digest proves that each value in the result was applied before. Returns undefined if no guess matches.
 * Caveats: finds nothing if another writer took over a field whose desired value is new, because the former value is
 * unknown. The same holds if the server had changed an applied value, and the desired value is new.
 */
export function lastApplied(
  { ours, others, salt }: ObservedChild,
  fields: JsonObject,
  given: {
    readonly differences: readonly Difference[];
    /** Digest of the fields of the last apply. */
    readonly desired: string;
    /** The child as an apply of the desired fields would leave it. */
    readonly after: Pick<ObservedChild, 'ours'>;
    /** Our entry also has the fields that these paths name. The last apply may have desired some of them. */
    readonly kept?: Pick<Kept, 'initial' | 'handsOver'>;
  },
): LastApplied | undefined {
  if (ours === undefined) return undefined;
  const listKeys = Object.assign({}, ...[ours, ...others].map((one) => openEntry(one).listKeys));
  const { value, leafMaps } = openEntry(ours);
  const stored = given.after.ours && openEntry(given.after.ours).value;
  const shape = { listKeys, leafMaps, dropped: new Set(ours.dropped) };
  const { initial = [], handsOver = [] } = given.kept ?? {};
  const values = [isMap(value) ? omit(value, [...initial, ...handsOver]) : value, value];
  for (const differences of subsetsOf(given.differences.filter(isChangedByOthers)))
    for (const held of values)
      for (const isRewritten of [false, true]) {
        const paths = new Set(differences.map(({ path }) => path));
        const guess = { ...shape, paths, isRewritten };
        const rebuilt = restore('', { held, stored, fields }, guess);
        if (!isMap(rebuilt) || hasShortened(rebuilt)) continue;
        if (desiredDigest(rebuilt, salt) === given.desired) return { fields: rebuilt, differences };
      }
  return undefined;
}

/** Returns the complete set first. Of more than `mostDifferences`, returns only three subsets. */
const subsetsOf = (differences: readonly Difference[]): readonly (readonly Difference[])[] =>
  differences.length > mostDifferences
    ? [differences, differences.filter(({ writer }) => writer !== undefined), []]
    : differences.reduce<readonly (readonly Difference[])[]>(
        (sets, one) => sets.flatMap((some) => [[...some, one], some]),
        [[]],
      );

const mostDifferences = 6;

interface Guess {
  /** Paths of the fields that other writers have taken over or removed. */
  readonly paths: ReadonlySet<string>;
  /** True for the guess that the server rewrites desired values, for example by adding defaults to a list. */
  readonly isRewritten: boolean;
  readonly listKeys: ListKeys;
  readonly leafMaps: readonly string[];
  readonly dropped: ReadonlySet<string>;
}

interface Values {
  /** The value in our managedFields entry. */
  readonly held: Json | undefined;
  /** The desired value as the server would store it. */
  readonly stored: Json | undefined;
  readonly fields: Json | undefined;
}

/** Returns the guessed value. Items of a list merged by key have the desired order. */
function restore(path: string, { held, stored, fields }: Values, guess: Guess): Json | undefined {
  if (fields === undefined) return held;
  if (guess.paths.has(path) || guess.dropped.has(path)) return fields;
  const keys = guess.listKeys[path] ?? [];
  const before = fieldsOf(held ?? (isMap(fields) ? {} : []), path, keys);
  const now = fieldsOf(fields, path, keys);
  if (before === undefined || now === undefined || guess.leafMaps.includes(path)) {
    // Long strings in `held` are shortened.
    const isSame = shortJson(fields) === canonicalJson(held);
    return isSame || (guess.isRewritten && isSameJson(held, stored)) ? fields : held;
  }
  const after = fieldsOf(stored, path, keys);
  const found = [...new Set([...now.keys(), ...before.keys()])].flatMap((at) => {
    const inner = { held: before.get(at), stored: after?.get(at), fields: now.get(at) };
    const value = restore(at, inner, guess);
    return value === undefined ? [] : [[at, value] as const];
  });
  if (held === undefined && found.length === 0) return undefined;
  const start = join(path, '').length;
  return isMap(fields)
    ? Object.fromEntries(found.map(([at, value]) => [at.slice(start), value]))
    : found.map(([, value]) => value);
}
