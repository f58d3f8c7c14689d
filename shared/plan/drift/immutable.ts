import { isZero } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import { isWithin } from '../../kinds/impact.ts';
import type { JsonObject } from '../../kubernetes.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { covers, coversItem } from './covers.ts';
import { type Difference, isOwnershipOnly } from './drift.ts';

/**
 * The path of an immutable field that a write would change; undefined if there is none.
 *
 * Guarantees: compares with the live value, whatever managedFields say. So applying an equal value is allowed, and a
 * difference is found even if no manager holds the field.
 */
export function immutableChange(
  differences: readonly Difference[],
  fields: JsonObject,
  observed: ObservedChild,
): string | undefined {
  const { quantities = [], releases } = observed.type;
  for (const [name, live] of Object.entries(observed.fixed)) {
    const fixed = name.replace(/[.]$/, '');
    const touching = differences.filter(
      ({ path }) => isWithin(path, fixed) || isWithin(fixed, path),
    );
    const touched = touching.find((one) => !isOwnershipOnly(one)) ?? touching[0];
    if (touched === undefined) continue;
    if (releases?.(name, { live, wanted: fields })) continue;
    const wanted = valueAt(fields, ...fixed.split('.'));
    // We do not set the field itself; a field around it differs.
    if (wanted === undefined && !isWithin(touched.path, fixed)) continue;
    const compare = name === fixed ? covers : coversItem;
    const isSame =
      (live === undefined && isZero(wanted)) || compare(live, wanted, { path: fixed, quantities });
    if (!isSame) return isWithin(touched.path, fixed) ? touched.path : fixed;
  }
  return undefined;
}
