import { canonicalJson, isMap } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { wantedDigest } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { itemPath, join } from '../observed/owned-fields.ts';
import { shortJson } from '../observed/short-text.ts';
import type { Difference } from './differences.ts';

/** The fields of the last apply, and what others have changed since. */
export interface LastApplied {
  readonly fields: JsonObject;
  readonly differences: readonly Difference[];
}

/**
 * Rebuilds the fields of the last apply from those that we still hold and, where others have taken or removed one, from
 * the fields that are wanted now.
 *
 * Guarantees: the result has the digest of the last apply (`wanted`), so each field taken from `fields` was wanted alike
 * before. Undefined if it has not, or if others have changed nothing.
 */
export function lastApplied(
  observed: ObservedChild,
  fields: JsonObject,
  { differences, wanted }: { readonly differences: readonly Difference[]; readonly wanted: string },
): LastApplied | undefined {
  const { ours, others, salt } = observed;
  if (ours === undefined) return undefined;
  const listKeys = Object.assign({}, ...[ours, ...others].map((one) => openEntry(one).listKeys));
  const held = openEntry(ours).value;
  const taken = differences.filter(({ writer }) => writer !== undefined);
  const absent = differences.filter(
    ({ from, writer }) => writer === undefined && from === undefined,
  );
  // A field that nobody holds was removed by others, or is newly wanted.
  for (const lost of [taken, [...taken, ...absent]]) {
    const paths = new Set(lost.map(({ path }) => path));
    const rebuilt =
      paths.size === 0 ? undefined : restore({ path: '', held, fields }, { paths, listKeys });
    if (isMap(rebuilt) && wantedDigest(rebuilt, salt) === wanted)
      return { fields: rebuilt, differences: lost };
  }
  return undefined;
}

interface Place {
  readonly path: string;
  readonly held: Json | undefined;
  readonly fields: Json | undefined;
}

interface Lost {
  /** Paths of the fields that others have taken or removed. */
  readonly paths: ReadonlySet<string>;
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
}

function restore({ path, held, fields }: Place, lost: Lost): Json | undefined {
  if (fields === undefined) return held;
  // What we hold has long texts shortened.
  const isSame = held !== undefined && shortJson(fields) === canonicalJson(held);
  if (isSame || lost.paths.has(path)) return fields;
  const parts = partsOf({ path, held, fields }, lost);
  if (parts === undefined) return held;
  const values = parts.flatMap(({ name, ...part }) => {
    const value = restore(part, lost);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (held === undefined && values.length === 0) return undefined;
  return isMap(fields) ? Object.fromEntries(values) : values.map(([, value]) => value);
}

/** Returns the fields of a map, or the items of a list merged by key in the order in which they are wanted now. */
function partsOf(
  { path, held, fields }: Place,
  { listKeys }: Lost,
): readonly (Place & { readonly name: string })[] | undefined {
  const keys = listKeys[path] ?? [];
  const open = (value: Json | undefined): ReadonlyMap<string, Json> | undefined => {
    if (value === undefined) return new Map();
    if (isMap(value)) return new Map(Object.entries(value) as [string, Json][]);
    return keys.length > 0 && Array.isArray(value)
      ? new Map(value.filter(isMap).map((item) => [itemPath(path, keys, item), item]))
      : undefined;
  };
  const [before, now] = [open(held), open(fields)];
  if (before === undefined || now === undefined) return undefined;
  return [...new Set([...now.keys(), ...before.keys()])].map((name) => ({
    name,
    path: isMap(fields) ? join(path, name) : name,
    held: before.get(name),
    fields: now.get(name),
  }));
}
