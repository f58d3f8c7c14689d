import { isMap, isZero } from '../../canonical.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { isLarger } from '../../quantity.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';
import { type Place, placeOf, valueIn, withValueAt } from './places.ts';

/** The complete fields of an apply, with values that the kind leaves to others. */
export interface Kept {
  readonly fields: JsonObject;
  /** Places of live values, in which long strings are shortened. */
  readonly live: readonly Place[];
}

/**
 * Adds `initial` and `handsOver` fields to the desired ones. `whole` has the initial values.
 *
 * Guarantees: a field that only we own keeps its live value. If we dropped the field, the server would remove the value
 * or reset it to a default. A field that another manager has set or changed is omitted.
 * A list item that the child lacks gets its initial values.
 */
export function keptFields(
  { handsOver = [], initial = [] }: Child,
  { fields, whole }: { readonly fields: JsonObject; readonly whole: JsonObject },
  { ours, others }: ObservedChild,
): Kept | undefined {
  const held = ours && openEntry(ours).value;
  const theirs = others.map((entry) => openEntry(entry).value);
  const isManaged = [held, ...theirs].some((one) => one !== undefined);
  let kept: Kept = { fields, live: [] };
  for (const path of [...handsOver, ...initial]) {
    const item = itemIn(path);
    const isKnown = [held, ...theirs].some((one) => placeOf(one, item));
    const isNew = item !== '' && isManaged && !isKnown;
    const from = isNew ? whole : held;
    const place = placeOf(from, path);
    const isDropped = item !== '' && item !== path && !placeOf(fields, item);
    if (place === undefined || placeOf(kept.fields, path) || isDropped) continue;
    const given = theirs.map((one) => valueIn(one, place)).filter((value) => value !== undefined);
    const value = isNew ? valueIn(whole, place) : withoutTheirs(valueIn(held, place), given);
    if (value === undefined) continue;
    const live = isNew ? kept.live : [...kept.live, ...leavesAt(place, value)];
    kept = { fields: withValueAt(kept.fields, place, value) as JsonObject, live };
  }
  return kept.fields === fields ? undefined : kept;
}

/** Omits what other managers also own, except in lists: the rest would lose its value. */
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

const leavesAt = (place: Place, value: Json): readonly Place[] =>
  isMap(value) && !isZero(value)
    ? Object.entries(value).flatMap(([name, inner]) => leavesAt([...place, name], inner as Json))
    : [place];

/** Returns the path of the innermost list item in a path; empty if there is none. */
export const itemIn = (path: string): string => path.slice(0, path.lastIndexOf(']') + 1);

/** Returns the fields with the values that `from` has at these places. */
export const withValues = (
  fields: JsonObject,
  places: readonly Place[],
  from: Json | undefined,
): JsonObject =>
  places.reduce<Json>((all, at) => withValueAt(all, at, valueIn(from, at)), fields) as JsonObject;

/** Reports whether a live value is too long for a plan, so that it has to be read before an apply. */
export const needsRead = (kept: Kept | undefined): boolean =>
  kept?.live.some((place) => hasShortened(valueIn(kept.fields, place) ?? '')) === true;

export const omit = (fields: JsonObject, paths: readonly string[] = []): JsonObject =>
  paths.reduce((rest, path) => omitPlace(rest, placeOf(rest, path)), fields);

export function omitPlace(fields: JsonObject, place: Place | undefined): JsonObject {
  if (place === undefined) return fields;
  const left = withValueAt(fields, place, undefined) as JsonObject;
  const around = place.slice(0, -1);
  const isEmpty = around.length > 0 && isZero(valueIn(left, around));
  // Drops an emptied map. If we applied it, we would own it, with everything that others put into it.
  return isEmpty ? omitPlace(left, around) : left;
}

/**
 * Replaces or omits each desired size that is smaller than the live size, because some sizes, such as a claim's
 * storage, cannot shrink. Replaces a size that we own with the live one, because the field is required. Omits a size
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
