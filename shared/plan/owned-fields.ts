import type { FieldsV1, Json, JsonObject } from '../kubernetes.ts';

/**
 * What a managedFields entry says its manager set, read out of the live object.
 *
 * `listKeys`: path of each list merged by key → the names of its key fields (none for a set).
 * `leafMaps`: maps the entry names as a whole: either atomic, or owned in their existence only.
 * `unset`: fields the entry names and the object lacks: zero values that were sent and dropped.
 */
export interface OwnedFields {
  readonly value: Json | undefined;
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  readonly leafMaps: readonly string[];
  readonly unset: readonly string[];
}

interface Shape {
  readonly listKeys: Record<string, readonly string[]>;
  readonly leafMaps: string[];
  readonly unset: string[];
}

/**
 * Reads the fields of one entry out of the live object.
 *
 * Guarantees: an item of a list merged by key comes with its key, even if the entry does not name it.
 */
export function ownedFields(fields: FieldsV1, live: unknown): OwnedFields {
  const shape: Shape = { listKeys: {}, leafMaps: [], unset: [] };
  return { value: extract(fields, live as Json, '', shape), ...shape };
}

function extract(
  fields: FieldsV1,
  live: Json | undefined,
  path: string,
  shape: Shape,
): Json | undefined {
  if (live === undefined) shape.unset.push(path);
  if (live === undefined || live === null || typeof live !== 'object') return live;
  const names = Object.keys(fields);
  if (names.length === 0) {
    if (!Array.isArray(live)) shape.leafMaps.push(path);
    return live;
  }
  return Array.isArray(live)
    ? extractItems(fields, live, path, shape)
    : extractFields(fields, live as JsonObject, path, shape);
}

function extractFields(fields: FieldsV1, live: JsonObject, path: string, shape: Shape): JsonObject {
  const owned: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(fields)) {
    if (!name.startsWith('f:')) continue;
    const field = name.slice(2);
    const value = extract(inner, live[field], join(path, field), shape);
    if (value !== undefined) owned[field] = value;
  }
  return owned;
}

function extractItems(fields: FieldsV1, live: readonly Json[], path: string, shape: Shape): Json[] {
  const keyed = Object.keys(fields).find((name) => name.startsWith('k:'));
  if (keyed === undefined) {
    const values = live.filter((item) => fields[`v:${JSON.stringify(item)}`] !== undefined);
    if (values.length > 0) shape.listKeys[path] = [];
    return values;
  }
  const keys = Object.keys(JSON.parse(keyed.slice(2)) as object);
  shape.listKeys[path] = keys;
  const owned: Json[] = [];
  for (const item of live) {
    const key = Object.fromEntries(keys.map((name) => [name, (item as JsonObject)[name]]));
    const inner = fields[`k:${JSON.stringify(key)}`];
    if (inner === undefined) continue;
    const value = extract(inner, item, itemPath(path, keys, item as JsonObject), shape);
    if (value !== undefined) owned.push({ ...key, ...(value as JsonObject) });
  }
  return owned;
}

export const join = (path: string, field: string): string =>
  path === '' ? field : `${path}.${field}`;

/** `spec.ports[port=80,protocol="TCP"]`, as the API server writes paths into lists merged by key. */
export const itemPath = (path: string, keys: readonly string[], item: JsonObject): string =>
  `${path}[${keys.map((key) => `${key}=${JSON.stringify(item[key])}`).join(',')}]`;
