import { canonicalJson, isMap, isZero } from '../canonical.ts';
import type { Json } from '../kubernetes.ts';
import { join } from './owned-fields.ts';
import { isQuantity, isSameQuantity } from './quantity.ts';

/** Where in an object two values are compared. */
export interface Spot {
  readonly path: string;
  /** Of the child type: where amounts are equal by value. */
  readonly quantities: readonly string[];
}

/** Everything wanted is there and equal; inside an atomic list the server's defaults beside it are fine. */
export function covers(held: Json | undefined, wanted: Json | undefined, spot: Spot): boolean {
  if (isList(held) && isList(wanted)) {
    return (
      held.length === wanted.length &&
      wanted.every((item, at) => coversItem(held[at], item, within(spot, `${spot.path}[${at}]`)))
    );
  }
  return (
    canonicalJson(held) === canonicalJson(wanted) ||
    (isQuantity(spot.quantities, spot.path) && isSameQuantity(held, wanted))
  );
}

function coversItem(held: Json | undefined, wanted: Json | undefined, spot: Spot): boolean {
  if (!isMap(held) || !isMap(wanted)) return covers(held, wanted, spot);
  return Object.entries(wanted).every(
    ([field, value]) =>
      coversItem(held[field], value, within(spot, join(spot.path, field))) ||
      (held[field] === undefined && isZero(value)),
  );
}

const within = ({ quantities }: Spot, path: string): Spot => ({ path, quantities });

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
