import { isMap } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { isLarger } from '../../quantity.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';
import { merged } from './untangle.ts';

/**
 * Returns the live values of the fields that our apply drops and that must keep these values (`handsOver`, `initial`).
 *
 * Flow: the handover manager applies exactly these fields, then our own apply drops them. If we only dropped
 * them, the server would remove the values or reset them to defaults.
 * Caveats: omits long strings, and fields that another manager also owns.
 */
export function handOverFields(
  { handsOver = [], initial = [] }: Child,
  desired: JsonObject,
  observed: ObservedChild,
): JsonObject | undefined {
  const paths = [...handsOver, ...initial];
  if (paths.length === 0) return undefined;
  const owned = observed.ours && openEntry(observed.ours).value;
  const taken = [desired, ...observed.others.map((entry) => openEntry(entry).value)];
  const given = paths.filter((path) => {
    const steps = path.split('.');
    const value = valueAt(owned, ...steps);
    const isFree = taken.every((fields) => valueAt(fields, ...steps) === undefined);
    return value !== undefined && isFree && !hasShortened(value);
  });
  return given.length === 0 ? undefined : fieldsAt(owned as JsonObject, given);
}

const put = (fields: JsonObject, steps: readonly string[], value: Json): JsonObject =>
  merged(
    fields,
    steps.reduceRight<Json>((inner, name) => ({ [name]: inner }), value),
  ) as JsonObject;

export const fieldsAt = (fields: JsonObject, paths: readonly string[]): JsonObject =>
  paths.reduce<JsonObject>((found, path) => {
    const steps = path.split('.');
    const value = valueAt(fields, ...steps);
    return value === undefined ? found : put(found, steps, value);
  }, {});

export const omit = (fields: JsonObject, paths: readonly string[] = []): JsonObject =>
  paths.reduce((rest, path) => without(rest, path.split('.')), fields);

function without(fields: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: inner, ...others } = fields;
  if (inner === undefined) return fields;
  if (rest.length === 0) return others;
  if (!isMap(inner)) return fields;
  const left = without(inner, rest);
  // Drops an emptied map. If we applied it, we would own it, with everything that others put into it.
  return Object.keys(left).length === 0 ? others : { ...fields, [first]: left };
}

/**
 * Replaces or omits each desired size that is smaller than the live size, because some sizes, such as a claim's
 * storage, cannot shrink. Replaces a size that we own with the live one, because the field is required. Omits a size
 * that only other managers own.
 */
export const keepGrown = (fields: JsonObject, { sizes = {}, ours }: ObservedChild): JsonObject =>
  Object.entries(sizes).reduce((kept, [path, live]) => {
    const steps = path.split('.');
    if (!isLarger(live, valueAt(fields, ...steps))) return kept;
    const isOurs = ours !== undefined && valueAt(openEntry(ours).value, ...steps) !== undefined;
    return isOurs && live !== undefined ? put(kept, steps, live) : without(kept, steps);
  }, fields);
