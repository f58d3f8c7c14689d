import { canonical, inOrder, isMap } from '../../canonical.ts';
import { isFields, parseJson } from '../../json.ts';
import { saltAnnotation } from '../../kinds/names.ts';
import type { FieldsV1, Json, JsonObject } from '../../kubernetes.ts';
import { shortText } from './short-text.ts';
import { type Meter, openMeter, type Pool } from './unreadable.ts';

/** The fields that a managedFields entry names, sorted, and with their live values. Long strings are shortened. */
export interface OwnedFields {
  readonly value: Json | undefined;
  /** Key fields of each list merged by key, indexed by the list's path; none for a set. */
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  /** Maps that the entry names as a whole: atomic maps, and maps applied as `{}`, such as `emptyDir: {}`. */
  readonly leafMaps: readonly string[];
  /** Fields that the server dropped because they are empty, such as `ingress: []` or `paused: false`. */
  readonly dropped: readonly string[];
  /** Other managers' fields beside dropped fields, such as `valueFrom` beside `value: ''`. */
  readonly beside: readonly string[];
}

interface Shape {
  readonly listKeys: Record<string, readonly string[]>;
  readonly leafMaps: string[];
  readonly dropped: string[];
  readonly beside: string[];
  readonly context: ParseContext;
}

/** Limits the work for all managedFields entries of one live object together. */
export interface ParseContext {
  readonly spend: Meter;
  readonly write: (text: string) => string;
}

export function openParseContext(pool?: Pool): ParseContext {
  const spend = openMeter(pool);
  return { spend, write: (text) => shortText(text, spend) };
}

/** Ignores invalid field names. Items of a list merged by key have their key fields even if the entry omits them. */
export function ownedFields(
  fields: FieldsV1,
  live: unknown,
  { context = openParseContext(), others = [] }: Among = {},
): OwnedFields {
  const shape: Shape = { listKeys: {}, leafMaps: [], dropped: [], beside: [], context };
  const value = extract({ fields, others }, live as Json, '', shape);
  const { context: _, ...rest } = shape;
  return { value, ...rest };
}

interface Among {
  readonly context?: ParseContext;
  /** Other managers' fields. If some are in a map that `fields` names as a whole, the map is read as `{}`. */
  readonly others?: readonly FieldsV1[];
}

interface Names {
  readonly fields: FieldsV1;
  readonly others: readonly FieldsV1[];
}

const within = ({ fields, others }: Names, name: string): Names => ({
  fields: fields[name] as FieldsV1,
  others: others.length === 0 ? others : others.flatMap((other) => other[name] ?? []),
});

function extract(
  names: Names,
  live: Json | undefined,
  path: string,
  shape: Shape,
): Json | undefined {
  const { spend, write } = shape.context;
  spend(1 + path.length);
  if (typeof live === 'string') return write(live);
  if (live === null || typeof live !== 'object') return live;
  if (!hasNames(names.fields)) {
    if (Array.isArray(live)) return canonical(write, live, maxLevels);
    shape.leafMaps.push(path);
    return names.others.some(hasNames) ? {} : canonical(write, live, maxLevels);
  }
  const value = Array.isArray(live)
    ? extractItems(names, live, path, shape)
    : extractFields(names, live as JsonObject, path, shape);
  // Omits annotations that contained only the salt, because no kind's fields contain it.
  const isSalt = path === annotations && Object.keys(value).length === 0;
  return isSalt ? undefined : value;
}

const annotations = 'metadata.annotations';

/** The maximum depth of the fields: beyond it, `canonicalJson` might refuse the object. */
const maxLevels = 400;

const hasNames = (fields: FieldsV1): boolean => isMap(fields) && Object.keys(fields).length > 0;

function extractFields(names: Names, live: JsonObject, path: string, shape: Shape): JsonObject {
  const owned: Record<string, Json> = {};
  const { length: before } = shape.dropped;
  for (const name in names.fields) {
    if (!name.startsWith('f:')) {
      shape.context.spend(name.length);
      continue;
    }
    const field = name.slice(2);
    if (field === saltAnnotation && path === annotations) continue;
    const own = Object.hasOwn(live, field) ? live[field] : undefined;
    const value = extract(within(names, name), own, join(path, field), shape);
    if (value !== undefined) owned[field] = value;
    else if (own === undefined) shape.dropped.push(join(path, field));
  }
  if (shape.dropped.length > before)
    for (const name of names.others.flatMap((other) => Object.keys(other)))
      if (name.startsWith('f:') && !Object.hasOwn(names.fields, name))
        shape.beside.push(join(path, name.slice(2)));
  return inOrder(owned);
}

function extractItems(names: Names, live: readonly Json[], path: string, shape: Shape): Json[] {
  const { spend, write } = shape.context;
  for (const name in names.fields) spend(name.length);
  const keys = keyFieldsIn(names.fields);
  const owned: Json[] = [];
  for (const item of live) {
    const name = nameOf(item, keys);
    spend(1 + (name?.length ?? 0));
    if (name === undefined || !Object.hasOwn(names.fields, name)) continue;
    if (keys === undefined || !isMap(item)) {
      owned.push(canonical(write, item) as Json);
      continue;
    }
    const key: Record<string, Json | undefined> = {};
    for (const field of keys) key[field] = canonical(write, item[field]);
    const value = extract(within(names, name), item, itemPath(path, keys, key), shape);
    owned.push(inOrder({ ...key, ...(value as JsonObject) }));
  }
  if (keys !== undefined || owned.length > 0) shape.listKeys[path] = keys ?? [];
  return owned;
}

/** Returns the name as the API server writes it; undefined if it would contain a map or a list. */
function nameOf(item: Json, keys: readonly string[] | undefined): string | undefined {
  const isNamed = keys ? isMap(item) && keys.every((key) => isScalar(item[key])) : isScalar(item);
  if (!isNamed) return undefined;
  const text = JSON.stringify(item, keys as string[]).replace(/[&<>\u2028\u2029]/g, asInGo);
  return `${keys === undefined ? 'v' : 'k'}:${text}`;
}

const asInGo = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;

const isScalar = (value: Json | undefined): boolean => typeof value !== 'object' || value === null;

/** Returns the key fields of the first item with a valid key; undefined if the list is not merged by key. */
export function keyFieldsIn(fields: FieldsV1): readonly string[] | undefined {
  for (const name in fields) {
    const key = name.startsWith('k:') ? parseJson(name.slice(2)) : undefined;
    if (isFields(key)) return Object.keys(key);
  }
  return undefined;
}

export const join = (path: string, field: string): string =>
  path === '' ? field : `${path}.${field}`;

/** Returns the path of a list item as the API server writes it: `spec.ports[port=80,protocol="TCP"]`. */
export const itemPath = (path: string, keys: readonly string[], item: JsonObject): string =>
  `${path}[${keys.map((key) => `${key}=${JSON.stringify(item[key])}`).join(',')}]`;
