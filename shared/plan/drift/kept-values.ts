import { isMap } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { hasShortened } from '../observed/short-text.ts';

/**
 * Returns the live values of fields that our apply would drop and that must keep them (`Child.handsOver`).
 *
 * Flow: the handover manager applies exactly these fields, then our own apply drops them. Guarantees: no value is
 * reset to its default, as it would be if we just dropped the field. Caveats: omits long strings and fields that
 * another manager also holds.
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

export function put(
  fields: JsonObject,
  [first = '', ...rest]: readonly string[],
  value: Json,
): JsonObject {
  const inner = (fields[first] ?? {}) as JsonObject;
  return { ...fields, [first]: rest.length === 0 ? value : put(inner, rest, value) };
}

export const fieldsAt = (fields: JsonObject, paths: readonly string[]): JsonObject =>
  paths.reduce<JsonObject>((found, path) => {
    const steps = path.split('.');
    const value = valueAt(fields, ...steps) as Json | undefined;
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
  // Omits a map that became empty: we would own it, with everything that others put into it.
  return Object.keys(left).length === 0 ? others : { ...fields, [first]: left };
}

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

/** Reports whether `a` is a larger quantity than `b`, by more than a trillionth. */
export function isLarger(a: Json | undefined, b: Json | undefined): boolean {
  const [one, other] = [amountOf(a), amountOf(b)];
  return one !== undefined && other !== undefined && one - other > Math.abs(other) * 1e-12;
}

function amountOf(value: Json | undefined): number | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const [, number, unit = ''] = (isScalar && form.exec(String(value))) || [];
  if (number === undefined) return undefined;
  const power = powers[unit.charAt(0) as keyof typeof powers] ?? 0;
  return Number(number) * (unit.endsWith('i') ? 1024 : 1000) ** power;
}
