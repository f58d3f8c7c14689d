/** A decoded JSON object of unknown fields. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the map at `object[field]`, or an empty map that is not part of the object. */
export function objectAt(object: JsonObject | undefined, field: string): JsonObject {
  const value = object?.[field];
  return isObject(value) ? value : {};
}

/** Returns the list at `object[field]`, or an empty list that is not part of the object. */
export function listAt(object: JsonObject | undefined, field: string): unknown[] {
  const value = object?.[field];
  return Array.isArray(value) ? value : [];
}

export function objectsAt(object: JsonObject | undefined, field: string): JsonObject[] {
  return listAt(object, field).filter(isObject);
}

export function textAt(object: JsonObject | undefined, field: string): string {
  const value = object?.[field];
  return typeof value === 'string' ? value : '';
}

export function numberAt(object: JsonObject | undefined, field: string): number | undefined {
  const value = object?.[field];
  return typeof value === 'number' ? value : undefined;
}

/** Returns the value at a path of fields, such as `spec.parentRef.name`. */
export function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, field) => (isObject(value) ? value[field] : undefined), object);
}

/** Returns the map at `object[field]`; puts a new map there if there is none. */
export function ensureObject(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  if (isObject(value)) return value;
  const created: JsonObject = {};
  object[field] = created;
  return created;
}

/** Sets `object[field]` if it is absent. */
export function setDefault(object: JsonObject, field: string, value: unknown): void {
  if (object[field] === undefined || object[field] === null) object[field] = value;
}

export function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** Reports whether two decoded JSON values are equal, ignoring the order of keys. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // A list of pairs to compare in place of recursion, for deep nesting.
  const left: unknown[] = [a, b];
  while (left.length > 0) {
    const [theirs, mine] = [left.pop(), left.pop()];
    if (mine !== theirs && !isSameContainer(mine, theirs, left)) return false;
  }
  return true;
}

/** Compares two containers except for their values, and adds the values to `left`. */
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

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
