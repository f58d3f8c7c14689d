import { goPrint, goTypeOf } from '../go/print.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { keyIn, orderedBy, positions } from './list-order.ts';
import type { PatchSchema } from './patch-schema.ts';
import { StrategicPatchError } from './patch-schema.ts';
import { directiveKey, unknownDirective } from './strategic-directives.ts';

export type MergeItems = (
  original: JsonObject,
  patch: JsonObject,
  place: PatchSchema,
) => JsonObject;

interface Merging {
  readonly mergeKey: string | undefined;
  readonly mergeMaps: (original: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges a list of scalars as a set, or a list of maps by their merge key. */
export function mergeItems(
  original: readonly unknown[],
  patch: readonly unknown[],
  merging: Merging,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  assertOneType(original, patch);
  const { mergeKey } = merging;
  if (!isObject(original[0] ?? patch[0])) {
    const all = [...new Set([...original, ...patch])];
    return orderedBy(all, { order: patch, before: original, mergeKey: undefined });
  }
  if (mergeKey === undefined) {
    throw new StrategicPatchError('cannot merge lists without merge key for struct');
  }
  const { kept, changes } = directed(original.filter(isObject), patch.filter(isObject), mergeKey);
  const merged = mergeKeyed(kept, changes, { ...merging, mergeKey });
  return orderedBy(merged, { order: changes, before: kept, mergeKey });
}

/** Removes the items that `$deleteFromPrimitiveList` names. */
export function deletePrimitives(
  original: readonly unknown[],
  deleted: readonly unknown[],
): readonly unknown[] {
  if (original.length === 0 && deleted.length === 0) return original;
  assertOneType(original, deleted);
  const gone = new Set(deleted);
  return original.filter((item) => !gone.has(item));
}

function assertOneType(original: readonly unknown[], patch: readonly unknown[]): void {
  const [first, ...others] = [...original, ...patch].map(goTypeOf);
  if (first === '[]interface {}') {
    throw new StrategicPatchError('lists of lists are not supported', 422);
  }
  if (others.every((type) => type === first)) return;
  const lists = `[${goPrint(original)} ${goPrint(patch)}]`;
  throw new StrategicPatchError(`list element types are not identical: ${lists}`);
}

/**
 * Carries out the directives among the items; returns the original items that remain, and the other items of
 * the patch.
 */
function directed(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { kept: readonly JsonObject[]; changes: readonly JsonObject[] } {
  const directives = patch.filter((item) => Object.hasOwn(item, directiveKey));
  if (directives.length === 0) return { kept: original, changes: patch };
  const deleted = new Set<unknown>();
  for (const item of directives) {
    if (item[directiveKey] === 'delete') deleted.add(keyIn(item, mergeKey));
    else if (item[directiveKey] === 'merge') {
      throw new StrategicPatchError('merging lists cannot yet be specified in the patch');
    } else if (item[directiveKey] !== 'replace') throw unknownDirective(item);
  }
  const isReplaced = directives.some((item) => item[directiveKey] === 'replace');
  return {
    kept: isReplaced ? [] : original.filter((item) => !deleted.has(keyIn(item, mergeKey))),
    changes: patch.filter((item) => !Object.hasOwn(item, directiveKey)),
  };
}

function mergeKeyed(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  { mergeKey, mergeMaps }: Merging & { readonly mergeKey: string },
): JsonObject[] {
  const merged = [...original];
  const known = positions(merged, mergeKey);
  for (const change of patch) {
    const key = keyIn(change, mergeKey);
    const position = known.get(key);
    const current = position === undefined ? undefined : merged[position];
    if (position !== undefined && current !== undefined) {
      merged[position] = mergeMaps(current, change);
    } else known.set(key, merged.push(change) - 1);
  }
  return merged;
}
