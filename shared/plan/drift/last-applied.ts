import { canonicalJson, isMap } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { wantedDigest } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import { shortJson } from '../observed/short-text.ts';
import { type Difference, fieldsOf, type ListKeys } from './differences.ts';

/** The fields of the last apply, and what others have changed since. */
export interface LastApplied {
  readonly fields: JsonObject;
  readonly differences: readonly Difference[];
}

/**
 * Rebuilds the fields of the last apply from the fields that we still hold. A field that others have taken or removed
 * comes from the fields that are wanted now.
 *
 * Guarantees: the result has the digest of the last apply (`wanted`), so each value taken from `fields` was wanted
 * before, too. Undefined if the digest differs, or if others have changed nothing.
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
    const rebuilt = restore('', { held, fields }, { paths, listKeys });
    if (paths.size > 0 && isMap(rebuilt) && wantedDigest(rebuilt, salt) === wanted)
      return { fields: rebuilt, differences: lost };
  }
  return undefined;
}

interface Lost {
  /** Paths of the fields that others have taken or removed. */
  readonly paths: ReadonlySet<string>;
  readonly listKeys: ListKeys;
}

interface Values {
  readonly held: Json | undefined;
  readonly fields: Json | undefined;
}

/** Returns the value of the last apply at a path. Items of a list merged by key are in the order that is wanted now. */
function restore(path: string, { held, fields }: Values, lost: Lost): Json | undefined {
  if (fields === undefined) return held;
  // In `held`, long texts are shortened.
  const isSame = held !== undefined && shortJson(fields) === canonicalJson(held);
  if (isSame || lost.paths.has(path)) return fields;
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
