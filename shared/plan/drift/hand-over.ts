import { isMap } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';

/**
 * Returns the live values of fields that we set until now and that must keep their value (`Child.handsOver`).
 *
 * Flow: the handover manager applies exactly these fields, then our own apply drops them. Guarantees: the
 * value is not reset to its default, as it would be if we just dropped the field. Caveats: omits long
 * strings and fields that another manager also holds.
 */
export function handOverFields(
  child: Child,
  desired: JsonObject,
  observed: ObservedChild,
): JsonObject | undefined {
  const paths = [...(child.handsOver ?? []), ...(child.initial ?? [])];
  if (paths.length === 0) return undefined;
  const owned = observed.ours && openEntry(observed.ours).value;
  const others = observed.others.map((entry) => openEntry(entry).value);
  const given = paths.flatMap((path) => {
    const steps = path.split('.');
    const value = valueAt(owned, ...steps);
    const free =
      valueAt(desired, ...steps) === undefined &&
      others.every((other) => valueAt(other, ...steps) === undefined);
    return value !== undefined && free && !hasShortened(value) ? [{ steps, value }] : [];
  });
  return given.length === 0
    ? undefined
    : given.reduce<JsonObject>((fields, { steps, value }) => put(fields, steps, value), {});
}

/** Returns the fields with `value` at a path. */
export function put(
  fields: JsonObject,
  [first = '', ...rest]: readonly string[],
  value: Json,
): JsonObject {
  const inner = (fields[first] ?? {}) as JsonObject;
  return { ...fields, [first]: rest.length === 0 ? value : put(inner, rest, value) };
}

/** Returns only the fields at these paths. */
export const fieldsAt = (fields: JsonObject, paths: readonly string[]): JsonObject =>
  paths.reduce<JsonObject>((found, path) => {
    const steps = path.split('.');
    const value = valueAt(fields, ...steps) as Json | undefined;
    return value === undefined ? found : put(found, steps, value);
  }, {});

/** Returns the fields without those at these paths. */
export const omit = (fields: JsonObject, paths: readonly string[] = []): JsonObject =>
  paths.reduce((rest, path) => without(rest, path.split('.')), fields);

function without(fields: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: inner, ...others } = fields;
  if (inner === undefined) return fields;
  if (rest.length === 0) return others;
  if (!isMap(inner)) return fields;
  const left = without(inner, rest);
  // Omits a map that became empty: we would own it, with everything that others put into it.
  return Object.keys(left).length === 0 ? others : { ...fields, [first]: left };
}
