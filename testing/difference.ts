import { canonicalJson, isMap } from '../shared/canonical.ts';
import type { Json } from '../shared/kubernetes.ts';
import { truncate } from '../shared/printable.ts';

interface FoundDifference {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/** The first place where two values differ, as deep as it can be named. */
export function firstDifference(
  from: Json | undefined,
  to: Json | undefined,
  path = '',
): FoundDifference | undefined {
  if (canonicalJson(from) === canonicalJson(to)) return undefined;
  const isList = Array.isArray(from) && Array.isArray(to);
  if (!isList && !(isMap(from) && isMap(to))) return { path, from, to };
  const [before, after] = [from, to] as unknown as readonly Readonly<Record<string, Json>>[];
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  for (const field of fields) {
    const inner = isList ? `${path}[${field}]` : path === '' ? field : `${path}.${field}`;
    const found = firstDifference(before?.[field], after?.[field], inner);
    if (found !== undefined) return found;
  }
  return { path, from, to };
}

export const describeDifference = ({ path, from, to }: FoundDifference): string =>
  `${path}: ${shownValue(from)} → ${shownValue(to)}`;

const longest = 200;

/** A value on one line; `(absent)` for none. */
export const shownValue = (value: Json | undefined): string =>
  value === undefined ? '(absent)' : truncated(JSON.stringify(value));

export const truncated = (text: string): string => truncate(text, longest);
