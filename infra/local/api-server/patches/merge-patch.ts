import { own, put } from '../json/own.ts';
import { stackSafe } from '../json/stack-safe.ts';
import { isObject } from '../json/value.ts';

/** Applies a JSON merge patch (RFC 7386): null removes, maps merge, any other value replaces. */
export const applyMergePatch = stackSafe((document: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return withoutNulls(patch);
  const merged = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else put(merged, key, applyMergePatch(own(merged, key), value));
  }
  return merged;
}, undefined);

/** Within a list, also removes nulls from maps. The server does so; the standard does not require it. */
const withoutNulls = stackSafe((value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}, undefined);
