import { valueAt } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';

/**
 * The live values of fields that are ours and no longer wanted, but must keep their value.
 *
 * Flow: a second manager applies exactly these, then our own apply drops them.
 * Guarantees: the value is not reset to its default, as it would be if we only dropped the field.
 * Caveats: leaves out long texts and fields that another manager also holds.
 */
export function handOverFields(
  child: Child,
  desired: JsonObject,
  observed: ObservedChild,
): JsonObject | undefined {
  const owned = observed.ours && openEntry(observed.ours).value;
  const others = observed.others.map((entry) => openEntry(entry).value);
  const given = (child.handsOver ?? []).flatMap((path) => {
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

/** The fields with another value at a path. */
export function put(
  fields: JsonObject,
  [first = '', ...rest]: readonly string[],
  value: Json,
): JsonObject {
  const inner = (fields[first] ?? {}) as JsonObject;
  return { ...fields, [first]: rest.length === 0 ? value : put(inner, rest, value) };
}
