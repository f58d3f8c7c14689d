import { canonicalJson, isMap, isZero } from '../../canonical.ts';
import type { Json } from '../../kubernetes.ts';
import { join } from '../observed/owned-fields.ts';
import { isQuantity, isSameQuantity } from './quantity.ts';

/** The field to compare. */
export interface FieldContext {
  readonly path: string;
  /** The child type's paths of quantities, which are compared by value. */
  readonly quantities: readonly string[];
}

/** Reports whether `held` equals `wanted`; items of an atomic list may have further fields, set by the server. */
export function covers(
  held: Json | undefined,
  wanted: Json | undefined,
  field: FieldContext,
): boolean {
  if (isList(held) && isList(wanted)) {
    return (
      held.length === wanted.length &&
      wanted.every((item, at) => coversItem(held[at], item, within(field, `${field.path}[${at}]`)))
    );
  }
  return (
    canonicalJson(held) === canonicalJson(wanted) ||
    (isQuantity(field.quantities, field.path) && isSameQuantity(held, wanted))
  );
}

/** Like `covers`, but a map may have further fields, as within an atomic list. */
export function coversItem(
  held: Json | undefined,
  wanted: Json | undefined,
  field: FieldContext,
): boolean {
  if (!isMap(held) || !isMap(wanted)) return covers(held, wanted, field);
  return Object.entries(wanted).every(
    ([name, value]) =>
      coversItem(held[name], value, within(field, join(field.path, name))) ||
      (held[name] === undefined && isZero(value)),
  );
}

/**
 * Defaults that the server adds to an atomic map, where they become ours. Any other further field of such a map may be
 * one that is no longer wanted.
 */
const addedDefaults: Readonly<Record<string, Json>> = {
  '.valueFrom.fieldRef.apiVersion': 'v1',
  '.valueFrom.resourceFieldRef.divisor': '0',
};

export const isAddedDefault = (path: string, held: Json | undefined): boolean =>
  Object.entries(addedDefaults).some(([end, value]) => held === value && path.endsWith(end));

const within = ({ quantities }: FieldContext, path: string): FieldContext => ({ path, quantities });

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
