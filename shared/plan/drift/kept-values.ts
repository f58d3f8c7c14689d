import { isMap, isZero } from '../../canonical.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { isLarger } from '../../quantity.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';
import {
  indexOf,
  isItemName,
  itemKeyOf,
  itemName,
  type Place,
  placeOf,
  valueIn,
  withValueAt,
} from './places.ts';

/** The complete fields of an apply, with values that the kind leaves to others. */
export interface Kept extends Pick<Child, 'initial' | 'handsOver'> {
  readonly fields: JsonObject;
  /** The fields for creating the child. */
  readonly whole: JsonObject;
  /** Places of strings that are too long for a plan: shortened in `fields`, but sent in full by an apply. */
  readonly long: readonly Place[];
}

/**
 * Adds `initial` and `handsOver` fields to the desired fields. Returns undefined if the kind names no such fields.
 *
 * Guarantees: a field that only we own keeps its live value. If we dropped the field, the server would remove the value
 * or reset it to a default. A field that another manager has set or changed is omitted, except in a list that is named
 * as a whole. A list item that the child lacks gets its initial values.
 */
export function keepLive(
  { initial = [], handsOver = [] }: Pick<Child, 'initial' | 'handsOver'>,
  { fields, whole }: Pick<Kept, 'fields' | 'whole'>,
  { ours, others }: ObservedChild,
): Kept | undefined {
  const paths = [...handsOver, ...initial];
  if (paths.length === 0) return undefined;
  const held = ours && openEntry(ours).value;
  const theirs = others.map((entry) => openEntry(entry).value);
  const isManaged = [held, ...theirs].some((one) => one !== undefined);
  const long: Place[] = [];
  let all = fields;
  for (const path of paths) {
    const item = itemIn(path);
    const isKnown = [held, ...theirs].some((one) => placeOf(one, item));
    const isNew = item !== '' && isManaged && !isKnown;
    const isEmpty = ours?.dropped?.includes(path) === true;
    const from = isNew || isEmpty ? whole : held;
    const place = placeOf(from, path);
    if (place === undefined || placeOf(fields, path) || lacksItem(fields, path)) continue;
    const given = theirs.map((one) => valueIn(one, place)).filter((value) => value !== undefined);
    const own = withKeys(place, withoutTheirs(valueIn(from, place), given));
    if (own === undefined) continue;
    all = orderedAs(whole, withValueAt(all, place, own), place) as JsonObject;
    if (from === held) long.push(...longIn(own, place));
  }
  return { fields: all, whole, long, initial, handsOver };
}

/** Keeps at least an item's keys, because an apply without the item would remove other writers' fields in it. */
function withKeys(place: Place, value: Json | undefined): Json | undefined {
  const last = place.at(-1) ?? '';
  return isItemName(last) ? { ...itemKeyOf(last), ...(isMap(value) ? value : {}) } : value;
}

/** Gives a list item the position that it has in `whole`, because the server stores items in the order of the apply. */
function orderedAs(whole: Json, fields: Json, place: Place): Json {
  const [list, last] = [place.slice(0, -1), place.at(-1) ?? ''];
  const [wanted, items] = [whole, fields].map((one) => valueIn(one, list));
  if (!isItemName(last) || !Array.isArray(wanted) || !Array.isArray(items)) return fields;
  const keys = Object.keys(itemKeyOf(last));
  const rankOf = (item: Json): number => (isMap(item) ? indexOf(wanted, itemName(keys, item)) : -1);
  const sorted = items.toSorted((a: Json, b: Json) => rankOf(a) - rankOf(b));
  return withValueAt(fields, list, sorted);
}

const longIn = (value: Json | undefined, place: Place): readonly Place[] =>
  isMap(value)
    ? Object.entries(value).flatMap(([name, inner]) => longIn(inner, [...place, name]))
    : value !== undefined && hasShortened(value)
      ? [place]
      : [];

/** Omits fields that other managers also own. Keeps every list whole, because some of its items may be only ours. */
function withoutTheirs(value: Json | undefined, theirs: readonly Json[]): Json | undefined {
  if (theirs.length === 0 || Array.isArray(value)) return value;
  if (!isMap(value)) return undefined;
  const left = Object.entries(value).flatMap(([name, inner]) => {
    const given = theirs.map((one) => valueIn(one, [name])).filter((one) => one !== undefined);
    const own = withoutTheirs(inner, given);
    return own === undefined ? [] : [[name, own] as const];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Returns the path of the innermost list item in a path; empty if there is none. */
export const itemIn = (path: string): string => path.slice(0, path.lastIndexOf(']') + 1);

/** Returns the fields, with the values at these places taken from `from`. */
export const withValues = (
  fields: JsonObject,
  places: readonly Place[],
  from: JsonObject | undefined,
): JsonObject =>
  places.reduce<Json>((all, at) => withValueAt(all, at, valueIn(from, at)), fields) as JsonObject;

/** Prepares a trial creation of the child: adds the initial values that an apply leaves to others. */
export const withInitial = (
  fields: JsonObject,
  { initial = [], whole }: Pick<Kept, 'initial' | 'whole'>,
): JsonObject => {
  const missing = initial.filter((path) => !placeOf(fields, path) && !lacksItem(fields, path));
  return withValues(
    fields,
    missing.map((path) => placeOf(whole, path)).filter((at) => at !== undefined),
    whole,
  );
};

/** Reports whether a path leads into a list item that the fields lack. */
function lacksItem(fields: JsonObject, path: string): boolean {
  const item = itemIn(path);
  return item !== '' && item !== path && !placeOf(fields, item);
}

export const omit = (fields: JsonObject, paths: readonly string[] = []): JsonObject =>
  paths.reduce((rest, path) => omitPlace(rest, placeOf(rest, path)), fields);

export function omitPlace(fields: JsonObject, place: Place | undefined): JsonObject {
  if (place === undefined) return fields;
  const left = withValueAt(fields, place, undefined) as JsonObject;
  const around = place.slice(0, -1);
  const isEmpty = around.length > 0 && isZero(valueIn(left, around));
  // Drops an emptied map. An apply of `{}` would make us own everything that others put into the map.
  return isEmpty ? omitPlace(left, around) : left;
}

/**
 * Replaces or omits each desired size that is smaller than the live size, because some sizes, such as a claim's
 * storage, cannot shrink. Replaces a size that we own with the live size, because the field is required. Omits a size
 * that only other managers own.
 */
export const keepGrown = (fields: JsonObject, { sizes = {}, ours }: ObservedChild): JsonObject =>
  Object.entries(sizes).reduce((kept, [path, live]) => {
    const place = path.split('.');
    if (!isLarger(live, valueIn(fields, place))) return kept;
    const isOurs = ours !== undefined && valueIn(openEntry(ours).value, place) !== undefined;
    return isOurs && live !== undefined
      ? (withValueAt(kept, place, live) as JsonObject)
      : omitPlace(kept, place);
  }, fields);
