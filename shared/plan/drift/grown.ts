import { isMap } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import type { JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { put } from './hand-over.ts';
import { isLarger } from './quantity.ts';

/**
 * The wanted fields, without a size that may not shrink and has grown beyond the wanted one.
 *
 * Guarantees: a size that our entry holds stays with its live value, because it is required and no other manager
 * may hold it.
 */
export const keepGrown = (fields: JsonObject, { sizes = {}, ours }: ObservedChild): JsonObject =>
  Object.entries(sizes).reduce((kept, [path, live]) => {
    const steps = path.split('.');
    if (!isLarger(live, valueAt(fields, ...steps))) return kept;
    const isOurs = ours !== undefined && valueAt(openEntry(ours).value, ...steps) !== undefined;
    return isOurs && live !== undefined ? put(kept, steps, live) : without(kept, steps);
  }, fields);

/** The fields without the one at a path, and without the maps that it leaves empty. */
function without(fields: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: inner, ...others } = fields;
  const left = isMap(inner) && rest.length > 0 ? without(inner, rest) : {};
  return Object.keys(left).length === 0 ? others : { ...others, [first]: left };
}
