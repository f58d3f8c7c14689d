import { canonicalJson, isMap } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type Applied, desiredDigest, shortDigest } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import { hasShortened, shortJson } from '../observed/short-text.ts';
import { type Difference, fieldsOf, type ListKeys } from './differences.ts';

/** The fields of the last apply, as far as they are known. */
export interface LastApplied {
  readonly fields: JsonObject;
  /** The changes that others have made in these fields since. */
  readonly differences: readonly Difference[];
  /** Digest of the fields that the new ones leave as they are. */
  readonly alike: string;
}

/**
 * Rebuilds the fields of the last apply from the fields that we still hold. A field that others have taken or removed
 * comes from the fields that are desired now. One that is desired otherwise now is omitted, so that an apply leaves it to
 * its writer.
 *
 * Guarantees: the result has the digest of the last apply (`desired`), or at least in the part that the new fields leave
 * as it is (`alike`). So each value taken from `fields` was desired before, too. Undefined if no digest shows that.
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
  const held = openEntry(ours).value;
  // A field that nobody holds was removed by others, or is newly desired.
  const lost = differences.filter(({ from, writer }) => writer !== undefined || from === undefined);
  // The server drops most empty values, so only a digest shows whether the last apply had them.
  const guesses = subsetsOf(lost).flatMap((some) =>
    [true, false].map((empty) => ({ some, empty })),
  );
  for (const { some, empty } of guesses) {
    const paths = new Set(some.map(({ path }) => path));
    const rebuilt = restore('', { held, fields }, { paths, empty, listKeys });
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

/** Bounds what is tried: the digest of each subset is computed. */
const mostLost = 6;

/** All subsets, the whole first; of a long list only the whole, its fields with a writer, and none. */
const subsetsOf = (lost: readonly Difference[]): readonly (readonly Difference[])[] =>
  lost.length > mostLost
    ? [lost, lost.filter(({ writer }) => writer !== undefined), []]
    : all(lost);

function all([one, ...others]: readonly Difference[]): readonly (readonly Difference[])[] {
  if (one === undefined) return [[]];
  const rest = all(others);
  return [...rest.map((some) => [one, ...some]), ...rest];
}

/** Lists the fields with equal values in both, with their paths. */
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

interface Lost {
  /** Paths of the fields that others have taken or removed. */
  readonly paths: ReadonlySet<string>;
  /** True to take the empty values that we do not hold from the fields that are desired now. */
  readonly empty: boolean;
  readonly listKeys: ListKeys;
}

interface Values {
  readonly held: Json | undefined;
  readonly fields: Json | undefined;
}

/** Returns the value of the last apply at a path. Items of a list merged by key are in the order that is desired now. */
function restore(path: string, { held, fields }: Values, lost: Lost): Json | undefined {
  if (fields === undefined) return held;
  // In `held`, long strings are shortened.
  const isSame = held !== undefined && shortJson(fields) === canonicalJson(held);
  if (isSame || lost.paths.has(path)) return fields;
  if (held === undefined && lost.empty && isEmpty(fields)) return fields;
  const keys = lost.listKeys[path] ?? [];
  const before = fieldsOf(held ?? (isMap(fields) ? {} : []), path, keys);
  const now = fieldsOf(fields, path, keys);
  if (before === undefined || now === undefined) return held;
  const found = [...new Set([...now.keys(), ...before.keys()])].flatMap((at) => {
    const value = restore(at, { held: before.get(at), fields: now.get(at) }, lost);
    return value === undefined ? [] : [[at, value] as const];
  });
  if (held === undefined && found.length === 0) return undefined;
  const start = join(path, '').length;
  return isMap(fields)
    ? Object.fromEntries(found.map(([at, value]) => [at.slice(start), value]))
    : found.map(([, value]) => value);
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
