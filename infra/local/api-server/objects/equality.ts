import { jsonEqual } from '../schema/json.ts';
import { isMap, type JsonMap, type KubeObject } from './object.ts';
import { put } from './own.ts';
import { stackSafe } from './stack-safe.ts';

/** Equality as API machinery's `Semantic.DeepEqual` sees it: empty lists and maps equal absent ones. */
export const isSemanticallyEqual = (a: unknown, b: unknown): boolean =>
  jsonEqual(a, b) || jsonEqual(withoutEmpty(a), withoutEmpty(b));

const withoutEmpty = stackSafe((value: unknown): unknown => {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item));
  if (!isMap(value)) return value ?? undefined;
  const kept: JsonMap = {};
  for (const [key, item] of Object.entries(value)) {
    const reduced = withoutEmpty(item);
    if (reduced !== undefined) put(kept, key, reduced);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}, undefined);

/** Whether two versions of an object differ in nothing but the times of their managedFields. */
export const isUnchanged = (updated: KubeObject, old: KubeObject): boolean =>
  jsonEqual(updated, old) || jsonEqual(withoutTimes(updated), withoutTimes(old));

const withoutTimes = (object: KubeObject): unknown => ({
  ...object,
  metadata: {
    ...object.metadata,
    managedFields: (object.metadata.managedFields ?? []).map(({ time: _, ...entry }) => entry),
  },
});
