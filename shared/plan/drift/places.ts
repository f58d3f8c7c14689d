import { isMap, isSameJson } from '../../canonical.ts';
import { parseJson, pointerToken } from '../../json.ts';
import type { FieldsV1, Json, JsonObject, ManagedFieldsEntry } from '../../kubernetes.ts';
import { itemPath, join, keyFieldsIn } from '../observed/owned-fields.ts';

/**
 * A path in an object: names of fields, and items of lists. An item of a list merged by key is named as in
 * managedFields, such as `k:{"port":80}`, so that the same place can be found in other objects. An item of another list
 * is named by its index.
 */
export type Place = readonly (string | number)[];

/** Formats a place as plans show it: `spec.ports[port=80,protocol="TCP"].nodePort`. */
export const pathOf = (place: Place): string =>
  place.reduce<string>((path, step) => {
    if (!isItemName(step)) return join(path, `${step}`);
    const key = itemKeyOf(step);
    return itemPath(path, Object.keys(key), key);
  }, '');

/** Finds the place of a path that `pathOf` could have returned; undefined if the value has no such field. */
export const placeOf = (value: Json | undefined, path: string): Place | undefined =>
  below(value, `.${path}`);

function below(value: Json | undefined, path: string): Place | undefined {
  if (path === '') return value === undefined ? undefined : [];
  const steps = isMap(value) ? Object.keys(value) : [firstItem(path)?.name ?? ''];
  for (const to of steps) {
    const rest = isMap(value) ? belowField(path, to) : firstItem(path)?.rest;
    const inner = rest === undefined ? undefined : below(step(value, to), rest);
    if (inner !== undefined) return [to, ...inner];
  }
  return undefined;
}

/** Returns what follows a field in a path: `.replicas` in `.spec.replicas`; undefined if the path leads elsewhere. */
export function belowField(path: string, name: string): string | undefined {
  const rest = path.startsWith(`.${name}`) ? path.slice(name.length + 1) : undefined;
  return rest !== undefined && /^(?:$|[.[])/.test(rest) ? rest : undefined;
}

/** Parses the list item with which a path begins: `[name="web"]` in `[name="web"].image`. */
export function firstItem(path: string) {
  const [text = '', inner = ''] = /^\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\]/.exec(path) ?? [];
  const json = inner.replaceAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^,"]+)/g, '"$1":$2');
  const key = parseJson(`{${json}}`) as Json | undefined;
  if (inner === '' || !isMap(key)) return undefined;
  return {
    name: `k:${JSON.stringify(key)}`,
    keys: Object.keys(key),
    rest: path.slice(text.length),
  };
}

export const isItemName = (step: string | number): step is string =>
  typeof step === 'string' && step.startsWith('k:{');

export const itemKeyOf = (name: string): JsonObject => JSON.parse(name.slice(2)) as JsonObject;

export const valueIn = (object: Json | undefined, place: Place): Json | undefined =>
  place.reduce(step, object);

function step(value: Json | undefined, to: string | number): Json | undefined {
  if (isMap(value)) return Object.hasOwn(value, to) ? value[to] : undefined;
  return Array.isArray(value) ? value[indexOf(value, to)] : undefined;
}

/** Returns -1 if there is none. Prefers an item with all key fields, so that `{ port: 53 }` is not UDP port 53. */
export function indexOf(list: readonly Json[], to: string | number): number {
  const whole = list.findIndex((item, index) => index === to || isItem(to, item, true));
  return whole < 0 ? list.findIndex((item) => isItem(to, item)) : whole;
}

/** Reports whether an item has this name. Unless `isWhole`, it may lack a key field, which the server then defaults. */
const isItem = (name: string | number, item: Json | undefined, isWhole = false): boolean =>
  isItemName(name) &&
  isMap(item) &&
  Object.entries(itemKeyOf(name)).every(
    ([key, value]) => item[key] === value || (item[key] === undefined && !isWhole),
  );

export const itemName = (keys: readonly string[], item: JsonObject): string =>
  `k:${JSON.stringify(item, keys as string[])}`;

/** Omits entries for the status. */
export const namesIn = (entries: readonly ManagedFieldsEntry[]): readonly FieldsV1[] =>
  entries.flatMap(({ fieldsV1, subresource }) =>
    subresource === 'status' ? [] : (fieldsV1 ?? []),
  );

/** Returns the parts of managedFields entries that concern a place of the object. */
export function namesAt(
  entries: readonly FieldsV1[],
  object: Json | undefined,
  place: Place,
): readonly FieldsV1[] {
  let [names, value] = [entries, object];
  for (const to of place) {
    const inner = step(value, to);
    const belowItem = (one: FieldsV1): readonly FieldsV1[] =>
      Object.entries(one).flatMap(([name, below]) => (isItem(name, inner) ? [below] : []));
    names = names.flatMap(Array.isArray(value) ? belowItem : (one) => one[`f:${to}`] ?? []);
    value = inner;
  }
  return names;
}

/** Returns no keys if the list is not merged by key. */
export const keysIn = (names: readonly FieldsV1[]): readonly string[] =>
  names.map(keyFieldsIn).find((keys) => keys !== undefined) ?? [];

/** Removes the place if the value is undefined. Otherwise, adds missing maps, lists and whole items. */
export function withValueAt(object: Json, [to, ...rest]: Place, value: Json | undefined): Json {
  if (to === undefined) return value as Json;
  if (Array.isArray(object)) {
    const at = indexOf(object, to);
    if (at < 0) return value !== undefined && rest.length === 0 ? [...object, value] : object;
    const next = withValueAt(object[at], rest, value);
    return next === undefined ? object.toSpliced(at, 1) : object.with(at, next);
  }
  if (!isMap(object)) return object;
  const { [to]: inner, ...others } = object;
  const start = value === undefined ? undefined : isItemName(rest[0] ?? '') ? [] : {};
  const around = inner ?? start;
  const next = rest.length === 0 ? value : around && withValueAt(around, rest, value);
  return next === undefined ? others : { ...object, [to]: next };
}

/** Replaces lists as a whole. */
export function patchBetween(
  from: Json | undefined,
  to: Json | undefined,
  path = '',
): readonly JsonObject[] {
  if (isSameJson(from, to)) return [];
  if (to === undefined) return [{ op: 'remove', path }];
  if (from === undefined) return [{ op: 'add', path, value: to }];
  if (!isMap(from) || !isMap(to)) return [{ op: 'replace', path, value: to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    patchBetween(from[name], to[name], `${path}/${pointerToken(name)}`),
  );
}
