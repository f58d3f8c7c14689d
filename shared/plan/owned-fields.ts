import { isMap } from '../canonical.ts';
import type { FieldsV1, Json, JsonObject } from '../kubernetes.ts';
import { type Meter, openMeter } from './unreadable.ts';

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
  readonly meter: Meter;
}

/**
 * Reads the fields of one entry out of the live object.
 *
 * Guarantees: an item of a list merged by key comes with its key, even if the entry does not name it;
 * an entry that costs more than the meter allows is an UnreadableError. A name that is no field, key
 * or value names nothing.
 */
export function ownedFields(fields: FieldsV1, live: unknown, meter = openMeter()): OwnedFields {
  const shape: Shape = { listKeys: {}, leafMaps: [], unset: [], meter };
  const value = extract(fields, live as Json, '', shape);
  const { listKeys, leafMaps, unset } = shape;
  return { value, listKeys, leafMaps, unset };
}

function extract(
  fields: FieldsV1,
  live: Json | undefined,
  path: string,
  shape: Shape,
): Json | undefined {
  const { meter } = shape;
  meter.spend(1 + path.length);
  if (live === undefined) shape.unset.push(path);
  if (live === undefined || live === null || typeof live !== 'object') return live;
  if (!hasNames(fields)) {
    if (!Array.isArray(live)) shape.leafMaps.push(path);
    return live;
  }
  meter.enter();
  const value = Array.isArray(live)
    ? extractItems(fields, live, path, shape)
    : extractFields(fields, live as JsonObject, path, shape);
  meter.leave();
  return value;
}

/** Anything but a map names nothing. */
function hasNames(fields: FieldsV1): boolean {
  if (!isMap(fields)) return false;
  for (const _ in fields) return true;
  return false;
}

function extractFields(fields: FieldsV1, live: JsonObject, path: string, shape: Shape): JsonObject {
  const owned: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(fields)) {
    if (!name.startsWith('f:')) continue;
    const field = name.slice(2);
    const own = Object.hasOwn(live, field) ? live[field] : undefined;
    const value = extract(inner, own, join(path, field), shape);
    if (value !== undefined) owned[field] = value;
  }
  return owned;
}

function extractItems(fields: FieldsV1, live: readonly Json[], path: string, shape: Shape): Json[] {
  const keys = keysIn(fields);
  shape.meter.spend(live.length * itemCost * (1 + (keys?.length ?? 0)));
  if (keys === undefined) {
    const values = live.filter((item) => fields[`v:${JSON.stringify(item)}`] !== undefined);
    if (values.length > 0) shape.listKeys[path] = [];
    return values;
  }
  shape.listKeys[path] = keys;
  const owned: Json[] = [];
  for (const item of live) {
    if (!isMap(item)) continue;
    const key = Object.fromEntries(keys.map((name) => [name, item[name]]));
    const inner = fields[`k:${JSON.stringify(key)}`];
    if (inner === undefined) continue;
    const value = extract(inner, item, itemPath(path, keys, item), shape);
    if (value !== undefined) owned.push({ ...key, ...(value as JsonObject) });
  }
  return owned;
}

/** Each item is written as JSON once, to be found by it. */
const itemCost = 50;

/** The names of the key fields, as the first item that is named by its key has them. */
function keysIn(fields: FieldsV1): readonly string[] | undefined {
  for (const name in fields) {
    if (!name.startsWith('k:')) continue;
    try {
      const key: unknown = JSON.parse(name.slice(2));
      if (isMap(key as Json)) return Object.keys(key as JsonObject);
    } catch {
      // No key: it names nothing.
    }
  }
  return undefined;
}

export const join = (path: string, field: string): string =>
  path === '' ? field : `${path}.${field}`;

/** `spec.ports[port=80,protocol="TCP"]`, as the API server writes paths into lists merged by key. */
export const itemPath = (path: string, keys: readonly string[], item: JsonObject): string =>
  `${path}[${keys.map((key) => `${key}=${JSON.stringify(item[key])}`).join(',')}]`;
