/**
 * Serializes a value of any depth like JSON.stringify.
 *
 * Flow: calls JSON.stringify, which runs out of stack after some thousands of levels; then uses a writer with
 * a list of open containers.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return deepText(value, (map) => Object.keys(map));
    throw error;
  }
}

/** Serializes a value with sorted keys, so that equal values have equal text. */
export function sortedJsonText(value: unknown): string {
  return deepText(value, (map) => Object.keys(map).sort());
}

/** Copies a value deeply. */
export function copyOf<T>(value: T): T {
  return typeof value === 'object' && value !== null ? JSON.parse(jsonText(value)) : value;
}

/** An open map or list: the part still to be written, and the closing bracket. */
interface Open {
  readonly container: object;
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
  isFirst: boolean;
}

type KeysOf = (map: object) => string[];

function deepText(value: unknown, keysOf: KeysOf): string {
  const parts: string[] = [];
  const open: Open[] = [];
  const write = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) {
      parts.push(JSON.stringify(one) ?? 'null');
      return;
    }
    const keys = Array.isArray(one) ? undefined : keysOf(one);
    const length = Array.isArray(one) ? one.length : (keys?.length ?? 0);
    parts.push(keys === undefined ? '[' : '{');
    open.push({ container: one, keys, length, next: 0, isFirst: true });
  };
  write(value);
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    if (at.next < at.length) writeNext(at, parts, write);
    else {
      parts.push(at.keys === undefined ? ']' : '}');
      open.pop();
    }
  }
  return parts.join('');
}

function writeNext(at: Open, parts: string[], write: (value: unknown) => void): void {
  const { container, keys, next, isFirst } = at;
  at.next += 1;
  const key = keys?.[next] ?? next;
  const value = (container as Record<string | number, unknown>)[key];
  // Omits a field without a value; writes null for such an item.
  if (value === undefined && keys !== undefined) return;
  const comma = isFirst ? '' : ',';
  at.isFirst = false;
  parts.push(keys === undefined ? comma : `${comma}${JSON.stringify(key)}:`);
  write(value);
}
