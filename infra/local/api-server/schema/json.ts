import { jsonText } from '../objects/json-text.ts';

/** A JSON object as it was decoded: nothing is known of its fields. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** Whether two decoded JSON values are the same, whatever the order of their keys. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // A list of what is left to compare instead of recursion, for deep nesting.
  const left: unknown[] = [a, b];
  while (left.length > 0) {
    const [theirs, mine] = [left.pop(), left.pop()];
    if (mine !== theirs && !isSameContainer(mine, theirs, left)) return false;
  }
  return true;
}

/** Whether two values may be the same if what is in them is, which is added to what is left. */
function isSameContainer(a: unknown, b: unknown, left: unknown[]): boolean {
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (const [index, item] of a.entries()) if (item !== b[index]) left.push(item, b[index]);
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  let size = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key)) return false;
    const [mine, theirs] = [a[key], b[key]];
    size += 1;
    if (mine === theirs) continue;
    if (!isContainer(mine) || !isContainer(theirs)) return false;
    left.push(mine, theirs);
  }
  for (const _ in b) size -= 1;
  return size === 0;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The text of a value as Go's JSON encoder writes it. */
export function goJson(value: unknown): string {
  return goEscaped(jsonText(value));
}

/** A JSON text with what Go's encoder escapes beside the rest: `<`, `>`, `&`. */
export function goEscaped(text: string): string {
  if (!/[<>&\u2028\u2029]/.test(text)) return text;
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
