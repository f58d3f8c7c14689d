import { isMap } from '../objects/object.ts';

/** Applies a JSON merge patch (RFC 7386): null removes, maps merge, everything else replaces. */
export const applyMergePatch = (document: unknown, patch: unknown): unknown => {
  if (!isMap(patch)) return patch;
  const merged = isMap(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
};
