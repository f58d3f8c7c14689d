import { put } from '../json/own.ts';
import { stackSafe } from '../json/stack-safe.ts';
import { isObject, type JsonObject, jsonEqual } from '../json/value.ts';
import type { KubeObject } from './object.ts';

/** Compares like API machinery's `Semantic.DeepEqual`: empty lists and maps equal absent ones. */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  return jsonEqual(a, b) || jsonEqual(withoutEmpty(a), withoutEmpty(b));
}

const withoutEmpty = stackSafe((value: unknown): unknown => {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item));
  if (!isObject(value)) return value ?? undefined;
  const kept: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const reduced = withoutEmpty(item);
    if (reduced !== undefined) put(kept, key, reduced);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}, undefined);

/** Reports whether two versions of an object differ only in the times of their managedFields. */
export function isUnchanged(updated: KubeObject, old: KubeObject): boolean {
  return jsonEqual(updated, old) || jsonEqual(withoutTimes(updated), withoutTimes(old));
}

function withoutTimes(object: KubeObject): unknown {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      managedFields: (object.metadata.managedFields ?? []).map(({ time: _, ...entry }) => entry),
    },
  };
}
