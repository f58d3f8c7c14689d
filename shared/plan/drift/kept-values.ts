import { isMap } from '../../canonical.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { isLarger } from '../../quantity.ts';
import { type Entry, type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';
import { belowField, firstItem, isItem, valueIn, withValueAt } from './places.ts';

/**
 * Returns the live values of the fields that our apply drops and that must keep these values (`handsOver`, `initial`).
 *
 * Flow: the handover manager applies exactly these fields, then our own apply drops them. If we only dropped
 * them, the server would remove the values or reset them to defaults.
 * Caveats: omits long strings, and fields that another manager also owns.
 */
export function handOverFields(
  { handsOver = [], initial = [] }: Child,
  desired: JsonObject,
  observed: ObservedChild,
): JsonObject | undefined {
  const paths = [...handsOver, ...initial];
  if (paths.length === 0) return undefined;
  const owned = observed.ours && openEntry(observed.ours).value;
  const taken = [desired, ...observed.others.map((entry) => openEntry(entry).value)];
  const given = paths.filter((path) => {
    const value = fieldsAt(owned, [path]);
    const isFree = taken.every((fields) => fieldsAt(fields, [path]) === undefined);
    return value !== undefined && isFree && !hasShortened(value);
  });
  return fieldsAt(owned, given);
}

/** Returns the `initial` paths that a write sets: those into list items that the live child lacks. */
export function newInitial({ initial = [] }: Child, { ours, others }: ObservedChild) {
  const entries = [...(ours ? [ours] : []), ...others];
  return initial.filter((path) => {
    const item = itemIn(path);
    const isIn = (entry: Entry) => fieldsAt(openEntry(entry).value, [item]) !== undefined;
    return item !== '' && entries.length > 0 && !entries.some(isIn);
  });
}

/** Returns the path of the innermost list item in a path; empty if there is none. */
export const itemIn = (path: string): string => path.slice(0, path.lastIndexOf(']') + 1);

/** Returns only the fields at these paths, with the keys of the list items around them; undefined if there are none. */
export const fieldsAt = (fields: Json | undefined, paths: readonly string[]) =>
  part(fields, paths.map(fromRoot), true) as JsonObject | undefined;

export const omit = (fields: JsonObject, paths: readonly string[] = []): JsonObject =>
  (part(fields, paths.map(fromRoot), false) ?? {}) as JsonObject;

const fromRoot = (path: string): string => `.${path}`;

/**
 * Returns what is at the paths or, if not `inside`, everything else. Drops an emptied map. If we applied it, we would
 * own it, with everything that others put into it.
 */
function part(
  value: Json | undefined,
  paths: readonly string[],
  inside: boolean,
): Json | undefined {
  if (paths.includes('')) return inside ? value : undefined;
  if (paths.length === 0) return inside ? undefined : value;
  if (Array.isArray(value)) {
    const named = paths.flatMap((path) => firstItem(path) ?? []);
    const items = value.flatMap((item: Json) => {
      const own = named.filter(({ name }) => isItem(name, item));
      const left = part(
        item,
        own.map(({ rest }) => rest),
        inside,
      );
      if (left === undefined) return [];
      return inside && isMap(left) ? { ...own[0]?.key, ...left } : left;
    });
    return items.length === 0 ? undefined : items;
  }
  if (!isMap(value)) return inside ? undefined : value;
  const left = Object.entries(value).flatMap(([name, inner]) => {
    const below = paths.flatMap((path) => belowField(path, name) ?? []);
    const own = part(inner, below, inside);
    return own === undefined ? [] : [[name, own]];
  });
  return left.length === 0 ? undefined : (Object.fromEntries(left) as JsonObject);
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
      : omit(kept, [path]);
  }, fields);
