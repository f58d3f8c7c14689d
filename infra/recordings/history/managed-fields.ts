import { isDeeperThan, isMap, isSameJson, maxDepth } from '../../../shared/canonical.ts';
import { isFields, parseJson, valueAt } from '../../../shared/json.ts';
import type { FieldsV1, Json, JsonObject, KubeObject } from '../../../shared/kubernetes.ts';
import type { Difference } from '../../../shared/plan/drift/differences.ts';
import { conceal } from '../../../shared/plan/drift/secrecy.ts';
import { itemPath, join } from '../../../shared/plan/observed/owned-fields.ts';

/** Values of an object by field path; undefined for a value that was not read. */
export type FieldValues = ReadonlyMap<string, Json | undefined>;

/** All fields below level `maxDepth` count as one. A value with more than `maxDepth` levels counts as not read. */
export function fieldValuesOf(fields: FieldsV1, live: Pick<KubeObject, 'metadata'>): FieldValues {
  const found = new Map<string, Json | undefined>();
  const collect = (names: FieldsV1, value: Json | undefined, path: string, level: number): void => {
    const inner = isMap(names) && level < maxDepth ? Object.entries(names) : [];
    const known = inner.filter(([name]) => /^[fk]:/.test(name));
    if (known.length === 0) found.set(path, isDeeperThan(maxDepth, value) ? undefined : value);
    for (const [name, below] of known) {
      const text = name.slice(2);
      if (name.startsWith('f:')) collect(below, valueAt(value, text), join(path, text), level + 1);
      else {
        const key = parseJson(text);
        if (!isFields(key)) continue;
        const keys = Object.keys(key);
        const items = Array.isArray(value) ? value : [];
        const item = items.find((one) => keys.every((each) => valueAt(one, each) === key[each]));
        collect(below, item, itemPath(path, keys, key as JsonObject), level + 1);
      }
    }
  };
  collect(fields, live as unknown as Json, '', 0);
  return found;
}

/** Returns none for a Secret, because each recording masks its values differently. */
export const changedFields = (
  kind: string,
  before: FieldValues,
  after: FieldValues,
): readonly Difference[] =>
  kind === 'Secret'
    ? []
    : [...after].flatMap(([path, to]) => {
        const from = before.get(path);
        return isSameJson(from, to) ? [] : [conceal(kind, { path, from, to, writer: undefined })];
      });
