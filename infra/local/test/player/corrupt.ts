import type { Random } from '../../chaos/random.ts';

export type Place = readonly (string | number)[];

const oddities: readonly unknown[] = [null, '', 'text', 0, -1, 1.5, true, {}, 'a'.repeat(300)];

/** Copies an object with one change that may be invalid: a type, a null, a duplicate, an unknown field. */
export function corrupt(value: unknown, random: Random): unknown {
  const places = placesOf(value).filter((place) => !isOfType(place));
  if (places.length === 0) return value;
  const place = random.pick(places);
  if (random.chance(0.4)) return set(value, place, random.pick(oddities));
  if (random.chance(0.4)) return remove(value, place);
  const parent = place.slice(0, -1);
  const inner = at(value, parent);
  if (Array.isArray(inner)) {
    const item = inner[Number(place.at(-1))];
    return set(value, parent, random.chance(0.5) ? [...inner, item] : inner.toReversed());
  }
  return set(value, [...parent, random.pick(['unknown', 'Name', 'name'])], random.pick(oddities));
}

/** The root, apiVersion and kind, which every kind treats in the same way. */
export const isOfType = ([first]: Place): boolean =>
  first === undefined || first === 'apiVersion' || first === 'kind';

/** Copies some of an object's fields, always including those that identify it. */
export function thin(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => thin(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const some = entries.filter(([key]) => keys.has(key) || random.chance(0.75));
  const kept = some.length === 0 ? entries.slice(0, 1) : some;
  return Object.fromEntries(kept.map(([key, inner]) => [key, thin(inner, random)]));
}

const keys = new Set(
  ['apiVersion', 'kind', 'metadata', 'spec', 'name', 'port', 'protocol', 'containerPort'].concat([
    'template',
    'selector',
    'containers',
    'type',
    'uid',
    'apiGroup',
  ]),
);

/** Returns every path in a value: the root first, outer ones before inner ones. */
export function placesOf(value: unknown, from: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [from];
  const inner = Array.isArray(value) ? value.map((item, at) => [at, item]) : Object.entries(value);
  return [
    from,
    ...inner.flatMap(([key, item]) => placesOf(item, [...from, key as string | number])),
  ];
}

export const at = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)?.[key], value);

export function set(value: unknown, [key, ...rest]: Place, wanted: unknown): unknown {
  if (key === undefined) return wanted;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? set(item, rest, wanted) : item));
  }
  const map = typeof value === 'object' && value !== null ? value : {};
  const inner = (map as Record<string, unknown>)[key];
  return { ...map, [key]: set(inner, rest, wanted) };
}

export function remove(value: unknown, [key, ...rest]: Place): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.toSpliced(Number(key), 1)
      : value.map((item, index) => (index === key ? remove(item, rest) : item));
  }
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  if (rest.length === 0) return others;
  return { ...value, [key]: remove(inner, rest) };
}
