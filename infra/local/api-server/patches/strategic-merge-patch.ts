import { goTypeOf } from '../go/print.ts';
import { own, put } from '../json/own.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { SchemaSource } from '../schema/schema.ts';
import { assertOrder, orderedBy } from './list-order.ts';
import {
  below,
  belowAsList,
  hasStrategy,
  itemsOf,
  mergeKeyOf,
  type PatchSchema,
  StrategicPatchError,
} from './patch-schema.ts';
import {
  deletePrimitivesPrefix,
  directiveField,
  directiveKey,
  elementOrderPrefix,
  retainKeys,
  unknownDirective,
  withoutDirectives,
} from './strategic-directives.ts';
import { deletePrimitives, type MergeItems, mergeItems } from './strategic-lists.ts';

/**
 * Applies a strategic merge patch: like a merge patch, but lists merge by the merge keys of the schema.
 *
 * Flow: for each map, applies its directive, `$retainKeys` and the lists with an order; then merges field by
 * field.
 * Guarantees: the arguments are not modified. Errors are StrategicPatchErrors in the words of the real
 * server.
 */
export function applyStrategicMergePatch(
  { root, definitions }: SchemaSource,
  document: JsonObject,
  patch: JsonObject,
): JsonObject {
  return mergeMaps(document, patch, { schema: root, definitions });
}

const mergeMaps: MergeItems = (original, given, place) => {
  const patch = { ...given };
  if (Object.hasOwn(patch, directiveKey)) {
    if (patch[directiveKey] === 'delete') return {};
    if (patch[directiveKey] !== 'replace') throw unknownDirective(patch);
    delete patch[directiveKey];
    return patch;
  }
  const merged = { ...original };
  retainKeys(merged, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(elementOrderPrefix)) mergeInOrder(merged, patch, { key, place });
  }
  for (const key of Object.keys(patch)) {
    if (key.startsWith(deletePrimitivesPrefix)) deleteItems(merged, key, patch[key]);
    else mergeField(merged, key, { value: patch[key], place });
  }
  return merged;
};

function mergeField(
  merged: JsonObject,
  field: string,
  { value, place }: { value: unknown; place: PatchSchema },
): void {
  const current = own(merged, field);
  if (value === null) delete merged[field];
  else if (isObject(current) && isObject(value)) {
    const next = below(place, field);
    put(merged, field, hasStrategy(next, 'replace') ? value : mergeMaps(current, value, next));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    put(merged, field, mergeLists(current, value, belowAsList(place, field)));
  } else {
    const plain = withoutDirectives(value);
    if (plain === undefined) delete merged[field];
    else put(merged, field, plain);
  }
}

function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  place: PatchSchema,
): readonly unknown[] {
  if (!hasStrategy(place, 'merge')) return patch;
  return mergeItems(original, patch, {
    mergeKey: mergeKeyOf(place),
    mergeMaps: (one, change) => mergeMaps(one, change, itemsOf(place)),
  });
}

function deleteItems(merged: JsonObject, key: string, values: unknown): void {
  const field = directiveField(key, deletePrimitivesPrefix);
  const current = own(merged, field);
  if (values === null) delete merged[field];
  else if (Array.isArray(current) && Array.isArray(values)) {
    put(merged, field, deletePrimitives(current, values));
  }
}

/** Merges a list whose order the patch gives; removes the list and the order from the patch. */
function mergeInOrder(
  merged: JsonObject,
  patch: JsonObject,
  { key, place }: { key: string; place: PatchSchema },
): void {
  const order = listIn(patch, key) ?? [];
  delete patch[key];
  const field = directiveField(key, elementOrderPrefix);
  const original = listIn(merged, field);
  const changes = listIn(patch, field);
  const next = belowAsList(place, field);
  const mergeKey = mergeKeyOf(next);
  assertOrder(changes ?? [], order, mergeKey);
  delete patch[field];
  if (original === undefined && changes === undefined) return;
  put(merged, field, orderedBy(inAnyOrder(), { order, before: original ?? [], mergeKey }));

  function inAnyOrder(): readonly unknown[] {
    if (changes === undefined) return original ?? [];
    if (original === undefined) return withoutDirectives(changes) as unknown[];
    return mergeLists(original, changes, next);
  }
}

function listIn(map: JsonObject, key: string): unknown[] | undefined {
  if (!Object.hasOwn(map, key)) return undefined;
  const value = map[key];
  if (Array.isArray(value)) return value;
  throw new StrategicPatchError(`expected a []interface {}, but received a ${goTypeOf(value)}`);
}
