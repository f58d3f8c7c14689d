import type { Json } from './kubernetes.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function valueAt(value: Json | undefined, ...path: readonly string[]): Json | undefined;
export function valueAt(value: unknown, ...path: readonly string[]): unknown;
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (!isFields(here) || !Object.hasOwn(here, key)) return;
    here = here[key];
  }
  return here;
}

/** Returns undefined for an absent or empty string. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = valueAt(value, ...path);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list : [];
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function present<T extends object>(fields: T): Present<T> {
  const kept: Present<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value as Present<T>[typeof name];
  }
  return kept;
}

/** Escapes a field name (RFC 6901). */
export const pointerToken = (field: string): string =>
  field.replaceAll('~', '~0').replaceAll('/', '~1');

/** Freezes a value and all its parts. Everything in a part that is already frozen must be frozen, too. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    pending.push(...Object.values(next));
  }
  return value;
}

/** Reports whether JSON can represent a value; true for undefined, which JSON omits. Does not check its parts. */
export function isJsonValue(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return !value.includes(undefined);
  if (typeof value !== 'object' || value === null)
    return !['bigint', 'function', 'symbol'].includes(typeof value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Estimates the bytes on the heap; stops beyond `most`. Returns NaN if `accepts` refuses a part. */
export function weightOf(
  value: unknown,
  most = Number.POSITIVE_INFINITY,
  accepts?: (value: unknown) => boolean,
): number {
  let bytes = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && bytes <= most) {
    const next = pending.pop();
    if (accepts?.(next) === false) return Number.NaN;
    bytes += 16;
    // V8 takes two bytes for each character if one is beyond Latin-1.
    if (typeof next === 'string') bytes += (/[^\0-\xff]/.test(next) ? 2 : 1) * next.length;
    else if (typeof next === 'object' && next !== null) {
      bytes += 48;
      for (const inner of Object.values(next)) pending.push(inner);
    }
  }
  return bytes;
}
