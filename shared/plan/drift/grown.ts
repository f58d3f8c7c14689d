import { valueAt } from '../../json.ts';
import type { JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { omit, put } from './hand-over.ts';
import { isLarger } from './quantity.ts';

/**
 * Replaces each wanted size that the live object exceeds, such as a claim's storage, because it cannot
 * shrink.
 *
 * Guarantees: a size in our entry gets its live value, because the field is required. A size that another
 * manager holds is left out.
 */
export const keepGrown = (fields: JsonObject, { sizes = {}, ours }: ObservedChild): JsonObject =>
  Object.entries(sizes).reduce((kept, [path, live]) => {
    const steps = path.split('.');
    if (!isLarger(live, valueAt(fields, ...steps))) return kept;
    const isOurs = ours !== undefined && valueAt(openEntry(ours).value, ...steps) !== undefined;
    return isOurs && live !== undefined ? put(kept, steps, live) : omit(kept, [path]);
  }, fields);
