import { valueAt } from '../../json.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { omit, put } from './hand-over.ts';

/**
 * Replaces each desired size that the live object exceeds, such as a claim's storage, because it cannot
 * shrink.
 *
 * Guarantees: a size in our entry gets its live value, because the field is required. A size that another
 * manager holds is omitted.
 */
export const keepGrown = (fields: JsonObject, { sizes = {}, ours }: ObservedChild): JsonObject =>
  Object.entries(sizes).reduce((kept, [path, live]) => {
    const steps = path.split('.');
    if (!isLarger(live, valueAt(fields, ...steps))) return kept;
    const isOurs = ours !== undefined && valueAt(openEntry(ours).value, ...steps) !== undefined;
    return isOurs && live !== undefined ? put(kept, steps, live) : omit(kept, [path]);
  }, fields);

const form = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)([numkMGTPE]|[KMGTPE]i)?$/;
/** Powers of 1000; a power of 1024 if an `i` follows. */
const powers = { n: -3, u: -2, m: -1, k: 1, K: 1, M: 2, G: 3, T: 4, P: 5, E: 6 };

/**
 * Reports whether both values are quantities and `a` is the larger one, such as 1Gi and 500Mi. Amounts that differ by
 * less than a trillionth count as equal.
 */
export function isLarger(a: Json | undefined, b: Json | undefined): boolean {
  const [one, other] = [amountOf(a), amountOf(b)];
  return one !== undefined && other !== undefined && one - other > Math.abs(other) * 1e-12;
}

/** Returns the amount; undefined if the value is not a quantity. */
function amountOf(value: Json | undefined): number | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const [, number, unit = ''] = (isScalar && form.exec(String(value))) || [];
  if (number === undefined) return undefined;
  const power = powers[unit.charAt(0) as keyof typeof powers] ?? 0;
  return Number(number) * (unit.endsWith('i') ? 1024 : 1000) ** power;
}
