import { valueAt } from '../json.ts';
import type { Child } from '../kinds/define-kind.ts';
import type { Json, JsonObject } from '../kubernetes.ts';
import { type ObservedChild, openEntry } from './observed.ts';
import { hasShortened } from './short-text.ts';

/**
 * The live values of fields that are ours, are no longer wanted and have to keep their value.
 *
 * Flow: a second manager applies just these, then our own apply drops them.
 * Guarantees: the value is never reset to its default, as it would be by merely dropping it.
 * Caveats: no value is returned where another manager already holds the field, or of a long text.
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

function put(
  fields: JsonObject,
  [first = '', ...rest]: readonly string[],
  value: Json,
): JsonObject {
  const inner = (fields[first] ?? {}) as JsonObject;
  return { ...fields, [first]: rest.length === 0 ? value : put(inner, rest, value) };
}
