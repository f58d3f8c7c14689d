import { canonicalJson, isMap } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { itemPath, join } from '../observed/owned-fields.ts';

/**
 * Returns the fields with `x` in place of each empty text that the server dropped from a map in which other
 * managers hold fields; undefined if there is none.
 */
export function filledBeside(
  fields: JsonObject,
  { ours }: Pick<ObservedChild, 'ours'>,
): JsonObject | undefined {
  if (ours?.beside === undefined) return undefined;
  const { listKeys } = openEntry(ours);
  const maps = new Set(ours.beside.map((path) => path.slice(0, path.lastIndexOf('.'))));
  const filled = filledAt(fields, '', { listKeys, maps }) as JsonObject;
  return canonicalJson(filled) === canonicalJson(fields) ? undefined : filled;
}

interface Known {
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
  /** Paths of the maps from which the server has dropped an empty value, and in which others hold fields. */
  readonly maps: ReadonlySet<string>;
}

function filledAt(value: Json | undefined, path: string, known: Known): Json | undefined {
  const keys = known.listKeys[path] ?? [];
  if (Array.isArray(value))
    return value.map((item: Json) =>
      isMap(item) ? (filledAt(item, itemPath(path, keys, item), known) as Json) : item,
    );
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      inner === '' && known.maps.has(path) ? 'x' : filledAt(inner, join(path, name), known),
    ]),
  );
}
