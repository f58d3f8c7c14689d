import { own } from '../json/own.ts';
import { isObject } from '../json/value.ts';

/** An operation that cannot be done. */
export class JsonPatchError extends Error {}

/** A map or a list, and the key or position in it that an operation is about. */
export interface Location {
  readonly container: unknown;
  readonly key: string;
}

/**
 * The place that a pointer names; everything above it has to be there.
 *
 * Caveats: like the real server, it ignores what is before the first slash.
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

/** What is there: undefined for a key that a map lacks, an error for a position out of a list. */
export function valueAt({ container, key }: Location): unknown {
  if (Array.isArray(container)) return container[positionIn(container.length, key)];
  return isObject(container) ? own(container, key) : undefined;
}

/** A position below `length`; negative ones count from the end. */
export function positionIn(length: number, key: string): number {
  const given = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const position = given < 0 ? given + length : given;
  if (position >= 0 && position < length) return position;
  throw new JsonPatchError(`no position in a list of ${length}: ${key}`);
}
