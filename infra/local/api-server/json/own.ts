/**
 * The rule for keys that clients choose (labels, data, field names, schema properties). JSON has no
 * prototypes, but JavaScript's objects do: `map['constructor']` finds a function in every map, `'toString' in
 * map` is always true, and `map['__proto__'] = x` stores nothing and changes the prototype. Read such a key
 * with `own`, test it with `Object.hasOwn` and write it with `put`. Spreads, `Object.entries`,
 * `Object.fromEntries`, `JSON.parse`, `delete` and literal names (`map.spec`) are safe.
 */

/** `map[key]` if the map itself has it. */
export function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Sets `map[key]`, whatever the key. */
export function put<T>(map: Record<string, T>, key: string, value: NoInfer<T>): void {
  if (key !== '__proto__') map[key] = value;
  else {
    const attributes = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(map, key, attributes);
  }
}
