import { own } from '../json/own.ts';
import { isObject } from '../json/value.ts';

/** An operation that fails. */
export class JsonPatchError extends Error {}

/** The map or list that an operation concerns, and the key or index in it. */
export interface Location {
  readonly container: unknown;
  readonly key: string;
}

/**
 * Resolves a pointer, all of whose parents must exist.
 *
 * Caveats: ignores everything before the first slash, as the real server does.
 */
export function locate(root: unknown, pointer: string): Location {
  const [, ...parts] = pointer.split('/');
  const key = parts.pop();
  if (key === undefined) throw new JsonPatchError(`no place: ${pointer}`);
  const container = parts.reduce<unknown>((node, part) => {
    const next = valueAt({ container: node, key: decodeKey(part) });
    if (!isContainer(next)) throw new JsonPatchError(`nothing at ${part} of ${pointer}`);
    return next;
  }, root);
  return { container, key: decodeKey(key) };
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

function decodeKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns the value at a location: undefined for an absent key; throws for an index outside the list. */
export function valueAt({ container, key }: Location): unknown {
  if (Array.isArray(container)) return container[positionIn(container.length, key)];
  return isObject(container) ? own(container, key) : undefined;
}

/** Parses an index below `length`; a negative index counts from the end. */
export function positionIn(length: number, key: string): number {
  const given = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const position = given < 0 ? given + length : given;
  if (position >= 0 && position < length) return position;
  throw new JsonPatchError(`no position in a list of ${length}: ${key}`);
}
