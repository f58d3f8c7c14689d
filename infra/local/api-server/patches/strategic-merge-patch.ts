import { isMap, type JsonMap } from '../objects/object.ts';
import { jsonEqual } from '../schema/json.ts';
import { type Definitions, resolve, type Schema, type SchemaSource } from '../schema/schema.ts';

/** A patch that contradicts itself or the schema. */
export class StrategicPatchError extends Error {}

const DIRECTIVE = '$patch';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';
const RETAIN_KEYS = '$retainKeys';

/** Applies a strategic merge patch: as a merge patch, but lists merge by the schema's merge keys. */
export const applyStrategicMergePatch = (
  { root, definitions }: SchemaSource,
  document: JsonMap,
  patch: JsonMap,
): JsonMap => mergeMaps(document, patch, { schema: root, definitions });

interface Place {
  readonly schema: Schema | undefined;
  readonly definitions: Definitions;
}

const below = ({ schema, definitions }: Place, key: string): Place => {
  const resolved = schema && resolve(schema, definitions);
  const additional = resolved?.additionalProperties;
  const next =
    resolved?.properties?.[key] ?? (typeof additional === 'object' ? additional : undefined);
  return { schema: next, definitions };
};

const itemsOf = ({ schema, definitions }: Place): Place => ({
  schema: schema && resolve(schema, definitions).items,
  definitions,
});

const mergeMaps = (original: JsonMap, patch: JsonMap, place: Place): JsonMap => {
  const directive = patch[DIRECTIVE];
  if (directive === 'replace') {
    const { [DIRECTIVE]: _, ...rest } = patch;
    return rest;
  }
  if (directive === 'delete') return {};
  const merged = retained({ ...original }, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_PRIMITIVES)) {
      deletePrimitives(merged, key.slice(DELETE_PRIMITIVES.length), value);
    } else if (!key.startsWith('$')) mergeField(merged, key, { value, place: below(place, key) });
  }
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(ELEMENT_ORDER) || !Array.isArray(order)) continue;
    const field = key.slice(ELEMENT_ORDER.length);
    const before = original[field];
    const list = merged[field];
    if (!Array.isArray(list)) continue;
    const mergeKey = mergeKeyOf(below(place, field));
    merged[field] = ordered(list, order, { before: Array.isArray(before) ? before : [], mergeKey });
  }
  return merged;
};

const retained = (map: JsonMap, patch: JsonMap): JsonMap => {
  const keys = patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) return map;
  return Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key)));
};

const mergeField = (
  merged: JsonMap,
  key: string,
  { value, place }: { value: unknown; place: Place },
): void => {
  const current = merged[key];
  if (value === null) delete merged[key];
  else if (current === undefined) merged[key] = withoutDirectives(value);
  else if (isMap(value)) merged[key] = mergeMaps(isMap(current) ? current : {}, value, place);
  else if (Array.isArray(value)) {
    merged[key] = mergeLists(Array.isArray(current) ? current : [], value, place);
  } else merged[key] = value;
};

/** What is put where nothing was: there is nothing to direct, nor to merge items with. */
const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !(isMap(item) && DIRECTIVE in item))
      .map((item) => withoutDirectives(item));
  }
  if (!isMap(value)) return value;
  if (DIRECTIVE in value) return {};
  const kept = Object.entries(value).filter(
    ([key, inner]) => !key.startsWith('$') && inner !== null,
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDirectives(inner)]));
};

const strategyOf = ({ schema }: Place): string => schema?.['x-kubernetes-patch-strategy'] ?? '';
const mergeKeyOf = ({ schema }: Place): string | undefined =>
  schema?.['x-kubernetes-patch-merge-key'];

const mergeLists = (
  original: readonly unknown[],
  patch: readonly unknown[],
  place: Place,
): unknown[] => {
  const withDirective = patch.some((item) => isMap(item) && item[DIRECTIVE] === 'replace');
  const plain = patch.filter((item) => !(isMap(item) && item[DIRECTIVE] === 'replace'));
  if (withDirective || !strategyOf(place).split(',').includes('merge')) return [...plain];
  const mergeKey = mergeKeyOf(place);
  const merged =
    mergeKey === undefined
      ? [...new Set([...original, ...plain])]
      : mergeKeyed(original, plain, { key: mergeKey, item: itemsOf(place) });
  return ordered(merged, plain, { before: original, mergeKey });
};

const mergeKeyed = (
  original: readonly unknown[],
  patch: readonly unknown[],
  { key, item }: { key: string; item: Place },
): unknown[] => {
  const merged = [...original];
  for (const change of patch) {
    if (!isMap(change)) continue;
    const wanted = change[key];
    if (wanted === undefined) {
      throw new StrategicPatchError(
        `map: ${JSON.stringify(change)} does not contain declared merge key: ${key}`,
      );
    }
    const index = merged.findIndex((one) => isMap(one) && jsonEqual(one[key], wanted));
    const current = merged[index];
    if (change[DIRECTIVE] === 'delete') {
      if (index >= 0) merged.splice(index, 1);
    } else if (isMap(current)) merged[index] = mergeMaps(current, change, item);
    else merged.push(mergeMaps({}, change, item));
  }
  return merged;
};

const deletePrimitives = (merged: JsonMap, field: string, values: unknown): void => {
  const list = merged[field];
  if (Array.isArray(list) && Array.isArray(values)) {
    merged[field] = list.filter((item) => !values.includes(item));
  }
};

/**
 * Orders a merged list: the patch's items as the patch has them, the others as they were, and where
 * neither order says anything the patch's first.
 */
const ordered = (
  merged: readonly unknown[],
  order: readonly unknown[],
  { before, mergeKey }: { before: readonly unknown[]; mergeKey: string | undefined },
): unknown[] => {
  const identity = (item: unknown): unknown =>
    mergeKey !== undefined && isMap(item) ? item[mergeKey] : item;
  const wanted = order.map(identity);
  const live = before.map(identity);
  const inPatch = merged
    .filter((item) => wanted.includes(identity(item)))
    .sort((a, b) => wanted.indexOf(identity(a)) - wanted.indexOf(identity(b)));
  const others = merged.filter((item) => !wanted.includes(identity(item)));
  const result: unknown[] = [];
  while (inPatch.length > 0 && others.length > 0) {
    const [other, patched] = [
      live.indexOf(identity(others[0])),
      live.indexOf(identity(inPatch[0])),
    ];
    const otherFirst = other >= 0 && patched >= 0 && other < patched;
    result.push(otherFirst ? others.shift() : inPatch.shift());
  }
  return [...result, ...inPatch, ...others];
};
