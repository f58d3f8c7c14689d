import { isMap, isSameJson } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import type { FieldsV1, Json, JsonObject, KubeObject } from '../../kubernetes.ts';
import { nameInText } from '../../printable.ts';
import { isOurApply } from '../observed/legacy.ts';
import { omit, omitPlace } from './kept-values.ts';
import {
  indexOf,
  isItemName,
  itemName,
  keysIn,
  namesAt,
  namesIn,
  type Place,
  patchBetween,
  valueIn,
  withValueAt,
} from './places.ts';

/** Returns undefined for list items, and for places of one or two steps, such as `spec.ports`. */
export const parentOf = (place: Place): Place | undefined =>
  place.length <= 2 || isItemStep(place.at(-1) ?? '') ? undefined : place.slice(0, -1);

const isItemStep = (step: string | number): boolean => typeof step === 'number' || isItemName(step);

export type Tangle = ReturnType<typeof tangleOf>;

/**
 * Returns functions to find other managers' fields that contradict an apply, and to make a patch that removes them. If
 * the child has no managedFields, the patch replaces each list that we apply, except in metadata.
 */
export function tangleOf(live: KubeObject, fields: JsonObject, identity: Identity) {
  const entries = live.metadata.managedFields ?? [];
  const isOurs = isOurApply(identity);
  const others = entries.filter((entry) => !isOurs(entry));
  const [held, all] = [namesIn(others), namesIn(entries)];
  const { status: _, ...before } = live;
  const isDesired = (place: Place): boolean => valueIn(fields, place) !== undefined;
  const kept = namesIn(entries.filter(isOurs))
    .flatMap((names) => fieldsNamedIn(names))
    .filter((at) => !isDesired(at) && namesAt(held, before, at).length === 0)
    .reduce<JsonObject>(omitPlace, before);
  const applied = merged(kept, entries[0] ? fields : omit(fields, ['metadata']), all);
  const othersBeside = (place: Place): readonly Place[] =>
    itemsBeside(applied, place, all).filter((item) => !isDesired(item));
  return {
    /** Parses the name of a field in a refusal, such as `spec.ports[0].nodePort` or `metadata.labels[app]`. */
    placeOf: (field: string): Place => named(applied, stepsIn(field), all),
    /** Returns a patch that applies our fields and removes all others at these places; undefined if it removes nothing. */
    without(places: readonly Place[]): readonly JsonObject[] | undefined {
      const clear = (object: Json, place: Place): Json =>
        isData(live, place) ? object : withValueAt(object, place, valueIn(fields, place));
      const cleared = outermost(places).toSorted(lastFirst).reduce(clear, applied);
      return entries[0] && isSameJson(cleared, applied) ? undefined : patchBetween(before, cleared);
    },
    /** For the lists that contain these places, returns the items that we do not apply. */
    otherItems: (places: readonly Place[]): readonly Place[] => places.flatMap(othersBeside),
    /** Returns the `otherItems` that share a value, such as a port's name, with one of these places. */
    equalItems: (places: readonly Place[]): readonly Place[] =>
      places.flatMap((place) =>
        othersBeside(place).filter((item) => isEqualIn(applied, place, item)),
      ),
    /** Returns fields that others own and we do not apply, in the maps around these places, innermost map first. */
    otherFields: (places: readonly Place[]): readonly Place[] =>
      places
        .flatMap(placesAround)
        .flatMap((place) => leavesIn(namesAt(held, applied, place)).map((name) => [...place, name]))
        .filter((place) => valueIn(kept, place) !== undefined && !isDesired(place)),
    newItems: (): readonly Place[] =>
      itemsOf(applied, all).filter((at) => valueIn(kept, at) === undefined && isDesired(at)),
    holders(places: readonly Place[]): readonly string[] {
      const names = others
        .filter((entry) => places.some((at) => namesAt(namesIn([entry]), before, at).length > 0))
        .map(({ manager = 'unknown' }) => nameInText(manager));
      return [...new Set(names)].toSorted();
    },
  };
}

/** The data of a Secret may be generated, and is never removed. */
const isData = ({ apiVersion, kind }: KubeObject, [field]: Place): boolean =>
  apiVersion === 'v1' && kind === 'Secret' && field === 'data';

/** Reports whether a place has the same value as the corresponding place in another item. */
function isEqualIn(object: Json, place: Place, item: Place): boolean {
  const value = valueIn(object, place);
  return value !== undefined && value === valueIn(object, [...item, ...place.slice(item.length)]);
}

/** Returns the innermost place first. */
const placesAround = (place: Place): readonly Place[] =>
  place.map((_, index) => place.slice(0, index)).toReversed();

function stepsIn(field: string): Place {
  const steps = field.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [];
  return steps.map((step) => {
    const inner = step.startsWith('[') ? step.slice(1, -1) : step;
    return /^\d+$/.test(inner) ? Number(inner) : inner;
  });
}

/** Names items by their keys, and fields as the object spells them: a refusal may say `LoadBalancerSourceRanges`. */
function named(object: Json, place: Place, names: readonly FieldsV1[]): Place {
  const known: (string | number)[] = [];
  for (const step of place) {
    const value = valueIn(object, known);
    const item = Array.isArray(value) && typeof step === 'number' ? value[step] : undefined;
    const keys = item === undefined ? [] : keysIn(namesAt(names, object, known));
    const small = typeof step === 'string' ? step.charAt(0).toLowerCase() + step.slice(1) : step;
    const isMisspelled = isMap(value) && value[step] === undefined && value[small] !== undefined;
    known.push(isMap(item) && keys.length > 0 ? itemName(keys, item) : isMisspelled ? small : step);
  }
  return known;
}

/** Drops duplicates, and places that are inside other places. */
const outermost = (places: readonly Place[]): readonly Place[] =>
  places.filter(
    (place, at) =>
      !places.some((other, nth) => isIn(place, other) && (other.length < place.length || nth < at)),
  );

const isIn = (place: Place, other: Place): boolean => other.every((step, at) => step === place[at]);

/** Sorts list items from last to first, so that removals leave other indexes valid. No place may be inside another. */
function lastFirst(a: Place, b: Place): number {
  const at = a.findIndex((step, index) => step !== b[index]);
  const [one, other] = [a[at] ?? '', b[at] ?? ''];
  return typeof one === 'number' && typeof other === 'number' ? other - one : one < other ? 1 : -1;
}

/** Returns the items of all lists that contain the place, beginning with the innermost list. */
const itemsBeside = (object: Json, place: Place, names: readonly FieldsV1[]): readonly Place[] =>
  placesAround(place).flatMap((list) => {
    const items = valueIn(object, list);
    return Array.isArray(items) ? items.map((_, at) => named(object, [...list, at], names)) : [];
  });

/** Returns the fields that the entries name without naming any field inside them. */
const leavesIn = (entries: readonly FieldsV1[]): readonly string[] =>
  entries.flatMap((names) =>
    Object.entries(names).flatMap(([name, inner]) =>
      name.startsWith('f:') && Object.keys(inner).length === 0 ? [name.slice(2)] : [],
    ),
  );

function itemsOf(object: Json, names: readonly FieldsV1[], place: Place = []): readonly Place[] {
  const value = valueIn(object, place);
  if (Array.isArray(value))
    return value.flatMap((_, index) => {
      const own = named(object, [...place, index], names);
      return [own, ...itemsOf(object, names, own)];
    });
  return isMap(value)
    ? Object.keys(value).flatMap((field) => itemsOf(object, names, [...place, field]))
    : [];
}

/**
 * Returns the innermost fields that a managedFields entry names, except fields of list items. If an apply omits such a
 * field, the server removes it, unless another manager owns it, too.
 */
const fieldsNamedIn = (names: FieldsV1, place: Place = []): readonly Place[] =>
  Object.entries(names).flatMap(([name, inner]) => {
    if (!name.startsWith('f:')) return [];
    const at = [...place, name.slice(2)];
    return Object.keys(inner).every((one) => one === '.') ? [at] : fieldsNamedIn(inner, at);
  });

/**
 * Merges our fields into the live object as the server does, because refusals name list items by their indexes. In a
 * list merged by key, a live item that is not desired stays before the desired item that followed it.
 */
export function merged(
  live: Json | undefined,
  desired: Json | undefined,
  names: readonly FieldsV1[] = [],
): Json {
  if (isMap(live) && isMap(desired)) {
    const fields = Object.entries(desired).filter(([, value]) => value !== undefined);
    const own = fields.map(([name, value]) => [
      name,
      merged(live[name], value, namesAt(names, live, [name])),
    ]);
    return { ...live, ...Object.fromEntries(own) };
  }
  const keys = keysIn(names);
  if (keys.length === 0 || !Array.isArray(live) || !Array.isArray(desired)) return desired as Json;
  const lives: readonly JsonObject[] = live;
  const indexes = lives.map((item) => indexOf(desired, itemName(keys, item)));
  const positions = desired.map((_, at) => indexes.indexOf(at));
  let passed = 0;
  const othersUntil = (end: number): readonly Json[] => {
    const begin = passed;
    passed = Math.max(begin, end);
    return lives.slice(begin, end).filter((_, at) => !positions.includes(begin + at));
  };
  const items = desired.flatMap((one: Json, at): readonly Json[] => {
    const next = positions.slice(at).find((position) => position >= 0) ?? lives.length;
    const others = othersUntil(next < passed ? lives.length : next);
    const position = positions[at] ?? -1;
    const item = lives[position];
    return [...others, merged(item, one, namesAt(names, lives, [position]))];
  });
  return [...items, ...othersUntil(lives.length)];
}
