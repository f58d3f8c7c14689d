import { isMap, isSameJson } from '../../canonical.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { itemPath, join } from '../observed/owned-fields.ts';

/**
 * Finds maps where the server dropped our field beside another manager's, such as `value: ''` beside `valueFrom`.
 * Returns the fields, with `x` for each empty string in these maps; undefined if there are no such maps.
 */
export function filledBeside(
  fields: JsonObject,
  { ours }: Pick<ObservedChild, 'ours'>,
): JsonObject | undefined {
  if (ours?.beside === undefined) return undefined;
  const { listKeys } = openEntry(ours);
  const maps = new Set(ours.beside.map((path) => path.slice(0, path.lastIndexOf('.'))));
  const filledAt = (value: Json | undefined, path: string): Json | undefined => {
    if (Array.isArray(value))
      return value.map((item: Json) =>
        isMap(item) ? (filledAt(item, itemPath(path, listKeys[path] ?? [], item)) as Json) : item,
      );
    if (!isMap(value)) return value;
    const filled = Object.entries(value).map(([name, inner]) => [
      name,
      inner === '' && maps.has(path) ? 'x' : filledAt(inner, join(path, name)),
    ]);
    return Object.fromEntries(filled);
  };
  const filled = filledAt(fields, '') as JsonObject;
  return isSameJson(filled, fields) ? undefined : filled;
}
