import { canonicalJson, isMap, isZero } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type Applied, desiredDigest, shortDigest } from '../observed/applied.ts';
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
  /** Digest of the fields whose desired values are still those of the last apply. */
  readonly alike: string;
}

/**
 * Rebuilds the fields of the last apply, of which the status records only digests.
 *
 * Flow: guesses which fields other writers have taken over or removed, and which values the server has dropped or
 * completed. For these fields, takes the desired value; for all others, the value in our managedFields entry. Tries
 * other guesses until a digest matches.
 *
 * Guarantees: a recorded digest matches that of the whole result (`desired`), or of the fields whose desired values
 * have not changed (`alike`). So each value in the result was applied before. Returns undefined if no guess matches.
 * Caveats: if another writer took over a field whose desired value is new, the result omits the field, so an apply
 * leaves the field to that writer. If the desired value of an atomic field is new, and the server had added defaults to
 * the former value, no guess matches.
 */
export function lastApplied(
  { ours, others, salt }: ObservedChild,
  fields: JsonObject,
  given: {
    readonly differences: readonly Difference[];
    readonly record: Pick<Applied, 'desired' | 'alike'>;
    /** Our entry also has the fields that these paths name. The last apply may have desired some of them. */
    readonly kept?: Pick<Kept, 'initial' | 'handsOver'>;
  },
): LastApplied | undefined {
  if (ours === undefined) return undefined;
  const listKeys = Object.assign({}, ...[ours, ...others].map((one) => openEntry(one).listKeys));
  const { value, leafMaps } = openEntry(ours);
  const { initial = [], handsOver = [] } = given.kept ?? {};
  const values = [isMap(value) ? omit(value, [...initial, ...handsOver]) : value, value];
  const subsets = subsetsOf(given.differences.filter(isChangedByOthers));
  for (const [held, differences] of values.flatMap((one) =>
    subsets.map((some) => [one, some] as const),
  ))
    for (const empty of [true, false])
      for (const completed of [false, true]) {
        const paths = new Set(differences.map(({ path }) => path));
        const guess = { paths, empty, completed, listKeys, leafMaps };
        const rebuilt = restore('', { held, fields }, guess);
        if (!isMap(rebuilt) || hasShortened(rebuilt)) continue;
        const same = alikeIn('', { held: rebuilt, fields }, listKeys);
        const alike = shortDigest(same.toSorted().join(), salt);
        const { desired, alike: recorded } = given.record;
        if (desiredDigest(rebuilt, salt) === desired || alike === recorded)
          return { fields: rebuilt, differences, alike };
      }
  return undefined;
}

/** Returns the complete set first. Of more than `mostDifferences`, returns only three subsets. */
const subsetsOf = (differences: readonly Difference[]): readonly (readonly Difference[])[] =>
  differences.length > mostDifferences
    ? [differences, differences.filter(({ writer }) => writer !== undefined), []]
    : all(differences);

const mostDifferences = 6;

function all([one, ...others]: readonly Difference[]): readonly (readonly Difference[])[] {
  if (one === undefined) return [[]];
  const rest = all(others);
  return [...rest.map((some) => [one, ...some]), ...rest];
}

interface Values {
  readonly held: Json | undefined;
  readonly fields: Json | undefined;
}

/** Lists the fields that are equal in both values, each as its path and value. */
function alikeIn(path: string, { held, fields }: Values, listKeys: ListKeys): readonly string[] {
  if (held === undefined || fields === undefined) return [];
  const keys = listKeys[path] ?? [];
  const [before, now] = [fieldsOf(held, path, keys), fieldsOf(fields, path, keys)];
  if (before !== undefined && now !== undefined && before.size > 0)
    return [...before].flatMap(([at, value]) =>
      alikeIn(at, { held: value, fields: now.get(at) }, listKeys),
    );
  const value = shortJson(fields);
  return [canonicalJson(held), shortJson(held)].includes(value) ? [`${path} ${value}`] : [];
}

interface Guess {
  /** Paths of the fields that other writers have taken over or removed. */
  readonly paths: ReadonlySet<string>;
  /** True for the guess that the server has dropped empty desired values, such as `[]`. */
  readonly empty: boolean;
  /** True for the guess that the server has only added defaults to atomic values. */
  readonly completed: boolean;
  readonly listKeys: ListKeys;
  readonly leafMaps: readonly string[];
}

/** Returns the guessed value. Items of a list merged by key have the desired order. */
function restore(path: string, { held, fields }: Values, guess: Guess): Json | undefined {
  if (fields === undefined) return held;
  const isSame = held !== undefined && isEqual(fields, held);
  if (isSame || guess.paths.has(path)) return fields;
  if (held === undefined && guess.empty && isZero(fields)) return fields;
  const keys = guess.listKeys[path] ?? [];
  const isAtomic = isMap(fields) ? guess.leafMaps.includes(path) : keys.length === 0;
  if (guess.completed && isAtomic && isWithin(fields, held)) return fields;
  const before = fieldsOf(held ?? (isMap(fields) ? {} : []), path, keys);
  const now = fieldsOf(fields, path, keys);
  if (before === undefined || now === undefined) return held;
  const found = [...new Set([...now.keys(), ...before.keys()])].flatMap((at) => {
    const value = restore(at, { held: before.get(at), fields: now.get(at) }, guess);
    return value === undefined ? [] : [[at, value] as const];
  });
  if (held === undefined && found.length === 0) return undefined;
  const start = join(path, '').length;
  return isMap(fields)
    ? Object.fromEntries(found.map(([at, value]) => [at.slice(start), value]))
    : found.map(([, value]) => value);
}

/** Expects long strings of the live value to be shortened. */
const isEqual = (desired: Json | undefined, held: Json | undefined): boolean =>
  shortJson(desired) === canonicalJson(held);

const isWithin = (desired: Json | undefined, held: Json | undefined): boolean =>
  Array.isArray(desired)
    ? Array.isArray(held) &&
      held.length === desired.length &&
      desired.every((item, at) => isWithin(item, held[at]))
    : isMap(desired)
      ? isMap(held) && Object.entries(desired).every(([name, one]) => isWithin(one, held[name]))
      : isEqual(desired, held);
