import { isFields } from './json.ts';
import type { Json, JsonObject } from './kubernetes.ts';

/** The maximum depth: deeper than any field that a run reads, but shallow enough for JSON.stringify. */
const maxLevels = 500;

/** Serializes a value with sorted fields: equal values give equal strings. Throws a RangeError beyond 500 levels. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(canonical((text) => text, value as Json | undefined)) ?? '';

/** Throws a RangeError beyond `levels`. Sorts only if necessary, because sorting takes much of a run's time. */
export function canonical(
  write: (text: string) => string,
  value: Json | undefined,
  levels = maxLevels,
): Json | undefined {
  if (typeof value === 'string') return write(value);
  if (value === null || typeof value !== 'object') return value;
  if (levels === 0) throw new RangeError('value is nested too deeply');
  if (Array.isArray(value))
    return value.map((item) => canonical(write, item, levels - 1)) as Json[];
  const fields = value as JsonObject;
  const names = Object.keys(fields);
  if (!isSorted(names)) names.sort();
  const copy: Record<string, Json | undefined> = {};
  for (const name of names) {
    if (name === '__proto__')
      return Object.fromEntries(
        names.map((field) => [field, canonical(write, fields[field], levels - 1)]),
      );
    copy[name] = canonical(write, fields[name], levels - 1);
  }
  return copy;
}

export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => isSameJson(item, other[at]))
    );
  if (!isFields(one) || !isFields(other)) return false;
  for (const name in one)
    if (!isSameJson(one[name], Object.hasOwn(other, name) ? other[name] : undefined)) return false;
  for (const name in other)
    if (other[name] !== undefined && !Object.hasOwn(one, name)) return false;
  return true;
}

function isSorted(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++)
    if ((names[at] as string) < (names[at - 1] as string)) return false;
  return true;
}

/** Sorts the fields. Returns the argument itself if they are sorted already. */
export function inOrder(fields: JsonObject): JsonObject {
  const names = Object.keys(fields);
  return isSorted(names)
    ? fields
    : Object.fromEntries(names.sort().map((name) => [name, fields[name]]));
}

/** The maximum depth of an object. Real objects are flatter, and recursion to this depth is safe. */
export const maxDepth = 64;

export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const fields = value as Record<string, unknown>;
  for (const name in fields) if (isDeeperThan(levels - 1, fields[name])) return true;
  return false;
}

/** Removes undefined fields, at any depth. Returns the argument itself if it has no undefined field. */
export function withoutUndefined<T>(value: T): T {
  if (!hasUndefined(value)) return value;
  if (Array.isArray(value)) return value.map(withoutUndefined) as T;
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[name, withoutUndefined(inner)]],
    ),
  ) as T;
}

function hasUndefined(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => inner === undefined || hasUndefined(inner));
}

export const isMap = (value: Json | undefined): value is JsonObject => isFields(value);

export const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
