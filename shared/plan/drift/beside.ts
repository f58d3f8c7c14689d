import type { JsonObject } from '../../kubernetes.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { placeOf, valueIn, withValueAt } from './places.ts';

/**
 * Finds maps where the server dropped our field beside another manager's, such as `value: ''` beside `valueFrom`.
 * Returns the fields, with `x` for each empty string in these maps; undefined if there are no such maps.
 */
export function filledBeside(
  fields: JsonObject,
  { ours }: Pick<ObservedChild, 'ours'>,
): JsonObject | undefined {
  const maps = new Set(ours?.beside?.map((path) => path.slice(0, path.lastIndexOf('.'))));
  const empty = [...maps].flatMap((path) => {
    const place = placeOf(fields, path);
    if (place === undefined) return [];
    const names = Object.entries(valueIn(fields, place) ?? {});
    return names.flatMap(([name, value]) => (value === '' ? [[...place, name]] : []));
  });
  if (empty.length === 0) return undefined;
  return empty.reduce<JsonObject>((all, at) => withValueAt(all, at, 'x') as JsonObject, fields);
}
