import { isZero } from '../canonical.ts';
import { valueAt } from '../json.ts';
import type { JsonObject } from '../kubernetes.ts';
import { covers } from './covers.ts';
import type { Difference } from './drift.ts';
import type { ObservedChild } from './observed.ts';

/**
 * The path of an immutable field that a write would change; undefined if there is none.
 *
 * Guarantees: compared with the live value, whatever managedFields say: applying an equal value is
 * allowed, and a difference is found even if no manager holds the field.
 */
export function immutableChange(
  differences: readonly Difference[],
  fields: JsonObject,
  observed: ObservedChild,
): string | undefined {
  const { immutable = [], quantities = [] } = observed.type;
  for (const fixed of immutable) {
    const touching = differences.find(({ path }) => isWithin(path, fixed) || isWithin(fixed, path));
    if (touching === undefined) continue;
    const wanted = valueAt(fields, ...fixed.split('.'));
    const live = observed.fixed[fixed];
    // We do not set the field itself; a field around it differs.
    if (wanted === undefined && !isWithin(touching.path, fixed)) continue;
    const isSame =
      (live === undefined && isZero(wanted)) || covers(live, wanted, { path: fixed, quantities });
    if (!isSame) return isWithin(touching.path, fixed) ? touching.path : fixed;
  }
  return undefined;
}

const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
