import { canonicalJson, isMap } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type Applied, desiredDigest, shortDigest } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import { hasShortened, shortJson } from '../observed/short-text.ts';
import { type Difference, fieldsOf, type ListKeys } from './differences.ts';

export interface LastApplied {
  readonly fields: JsonObject;
  /** How other writers have changed these fields since. */
  readonly differences: readonly Difference[];
  /** Digest of those fields whose values are desired now as well. */
  readonly alike: string;
}

/**
 * Rebuilds the fields of the last apply, of which the status records only digests.
 *
 * Flow: guesses which fields other writers have taken from us or removed. For those it takes the desired value, for
 * every other field the value in our managedFields entry. The digests show whether the guess is right.
 *
 * Guarantees: the result has the digest of all fields of the last apply (`desired`), or at least of those whose
 * desired value is the same now (`alike`). So it has no value that was not applied before. Returns undefined if no
 * guess is right.
 * Caveats: a field that another writer took and that has a new desired value is missing, so an apply leaves it to
 * that writer. No guess is right if the server had added defaults to an atomic value whose desired value has changed
 * since.
 */
export function lastApplied(
  observed: ObservedChild,
  fields: JsonObject,
  {
    differences,
    record,
  }: { readonly differences: readonly Difference[]; readonly record: Recorded },
): LastApplied | undefined {
  const { ours, others, salt } = observed;
  if (ours === undefined) return undefined;
  const listKeys = Object.assign({}, ...[ours, ...others].map((one) => openEntry(one).listKeys));
  const { value: held, leafMaps } = openEntry(ours);
  // A field that nobody holds was removed by another writer, or is newly desired.
  const lost = differences.filter(({ from, writer }) => writer !== undefined || from === undefined);
  // The server drops most empty values and completes atomic ones, so only a digest shows what the last apply had.
  const guesses = subsetsOf(lost).flatMap((some) =>
    [true, false].flatMap((empty) =>
      [false, true].map((completed) => ({ some, empty, completed })),
    ),
  );
  for (const { some, ...guess } of guesses) {
    const paths = new Set(some.map(({ path }) => path));
    const rebuilt = restore('', { held, fields }, { ...guess, paths, listKeys, leafMaps });
    if (!isMap(rebuilt) || hasShortened(rebuilt)) continue;
    const alike = shortDigest(
      alikeIn('', { held: rebuilt, fields }, listKeys).toSorted().join(),
      salt,
    );
    if (desiredDigest(rebuilt, salt) === record.desired || alike === record.alike)
      return { fields: rebuilt, differences: some, alike };
  }
  return undefined;
}

type Recorded = Pick<Applied, 'desired' | 'alike'>;

/** Limit of lost fields up to which each subset is tried. */
const mostLost = 6;

/** Returns all subsets, the complete set first. Of many fields, returns only all, those with a writer, and none. */
const subsetsOf = (lost: readonly Difference[]): readonly (readonly Difference[])[] =>
  lost.length > mostLost
    ? [lost, lost.filter(({ writer }) => writer !== undefined), []]
    : all(lost);

function all([one, ...others]: readonly Difference[]): readonly (readonly Difference[])[] {
  if (one === undefined) return [[]];
  const rest = all(others);
  return [...rest.map((some) => [one, ...some]), ...rest];
}

/** Lists the fields that have the same value in both, each as its path and value. */
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
  /** Paths of the fields that other writers are guessed to have taken or removed. */
  readonly paths: ReadonlySet<string>;
  /** True to guess that the last apply had the empty values that are desired now and that we do not hold. */
  readonly empty: boolean;
  /** True to guess that defaults are all that distinguishes an atomic value from the desired one. */
  readonly completed: boolean;
  readonly listKeys: ListKeys;
  readonly leafMaps: readonly string[];
}

interface Values {
  readonly held: Json | undefined;
  readonly fields: Json | undefined;
}

/** Returns the value of the last apply at a path. Items of a list merged by key are in the order that is desired now. */
function restore(path: string, { held, fields }: Values, guess: Guess): Json | undefined {
  if (fields === undefined) return held;
  // In `held`, long strings are shortened.
  const isSame = held !== undefined && shortJson(fields) === canonicalJson(held);
  if (isSame || guess.paths.has(path)) return fields;
  if (held === undefined && guess.empty && isEmpty(fields)) return fields;
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

/** Reports whether a live value, whose long strings are shortened, has everything that is in the desired value. */
function isWithin(desired: Json | undefined, held: Json | undefined): boolean {
  if (Array.isArray(desired))
    return (
      Array.isArray(held) &&
      held.length === desired.length &&
      desired.every((item, at) => isWithin(item, held[at]))
    );
  if (isMap(desired))
    return (
      isMap(held) && Object.entries(desired).every(([name, inner]) => isWithin(inner, held[name]))
    );
  return shortJson(desired) === canonicalJson(held);
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
