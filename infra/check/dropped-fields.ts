import { canonical, isMap, isZero } from '../../shared/canonical.ts';
import { defaultIdentity as identity } from '../../shared/identity.ts';
import type { Child } from '../../shared/kinds/child.ts';
import type { Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { observeChild, openEntry } from '../../shared/plan/observed/observed.ts';
import { itemPath, join } from '../../shared/plan/observed/owned-fields.ts';
import { shortText } from '../../shared/plan/observed/short-text.ts';

export function droppedFields(
  type: Child['type'],
  fields: JsonObject,
  stored: KubeObject,
): readonly string[] {
  const { ours } = observeChild(type, stored, { identity });
  const { value, listKeys } = ours === undefined ? { listKeys: {} } : openEntry(ours);
  const lost = missing({ path: '', desired: canonical(shortText, fields), kept: value }, listKeys);
  const keyless = lost.flatMap((path) => keyOfNothing.exec(path) ?? []);
  const [, list, key] = keyless;
  return list === undefined
    ? lost.map((path) => `${path}: the API server drops this field; remove it`)
    : [`${list}: an item has no ${key}, by which the API server identifies items; add it`];
}

interface Field {
  readonly path: string;
  readonly desired: Json | undefined;
  readonly kept: Json | undefined;
}

/** Ignores empty values. */
function missing(
  { path, desired, kept }: Field,
  listKeys: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const keys = listKeys[path] ?? [];
  if (kept === undefined) return desired === undefined || isEmpty(desired) ? [] : [path];
  if (isMap(desired) && isMap(kept))
    return Object.entries(desired).flatMap(([name, inner]) =>
      missing({ path: join(path, name), desired: inner, kept: kept[name] }, listKeys),
    );
  if (keys.length === 0 || !Array.isArray(desired) || !Array.isArray(kept)) return [];
  const byPath = new Map(kept.map((item: JsonObject) => [itemPath(path, keys, item), item]));
  return desired.flatMap((item: JsonObject) => {
    const own = itemPath(path, keys, item);
    return missing({ path: own, desired: item, kept: byPath.get(own) }, listKeys);
  });
}

const isEmpty = (value: Json): boolean =>
  isZero(value) || (isMap(value) && Object.values(value).every((one) => isEmpty(one ?? null)));

/** Matches the path of a list item that lacks a key: `ports[containerPort=80,protocol=undefined]`. */
const keyOfNothing = /^(.*)\[(?:[^\]]*,)?(\w+)=undefined[,\]]/;
