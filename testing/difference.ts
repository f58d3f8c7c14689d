import { isMap, isSameJson } from '../shared/canonical.ts';
import type { ChangedField } from '../shared/kinds/impact.ts';
import type { Json, JsonObject } from '../shared/kubernetes.ts';
import { truncate } from '../shared/printable.ts';

/** Returns the deepest path that shows the difference. */
export function firstDifference(
  from: Json | undefined,
  to: Json | undefined,
  path = '',
): ChangedField | undefined {
  if (isSameJson(from, to)) return undefined;
  const isList = Array.isArray(from) && Array.isArray(to);
  if (!isList && !(isMap(from) && isMap(to))) return { path, from, to };
  const [before, after] = [fieldsOf(from), fieldsOf(to)];
  for (const field of new Set([...before.keys(), ...after.keys()])) {
    const inner = isList ? `${path}[${field}]` : path === '' ? field : `${path}.${field}`;
    const found = firstDifference(before.get(field), after.get(field), inner);
    if (found !== undefined) return found;
  }
  return { path, from, to };
}

const fieldsOf = (value: JsonObject | readonly Json[]): ReadonlyMap<string, Json | undefined> =>
  new Map(Object.entries(value));

export const describeDifference = ({ path, from, to }: ChangedField): string =>
  `${path}: ${shownValue(from)} → ${shownValue(to)}`;

const longest = 200;

/** `(absent)` for undefined. */
export const shownValue = (value: Json | undefined): string =>
  value === undefined ? '(absent)' : truncated(JSON.stringify(value));

export const truncated = (text: string): string => truncate(text, longest);
