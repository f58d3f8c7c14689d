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
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  let size = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !jsonEqual(a[key], b[key])) return false;
    size += 1;
  }
  for (const _ in b) size -= 1;
  return size === 0;
}

/** A string as Go's JSON encoder writes it, which also escapes `<`, `>` and `&`. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/[<>&\u2028\u2029]/.test(text)) return text;
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
