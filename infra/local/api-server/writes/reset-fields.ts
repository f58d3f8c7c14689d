import { isObject, type JsonObject } from '../json/value.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Target } from '../resources/target.ts';

type Path = readonly string[];

/** The paths that a write to this resource or subresource cannot change, and therefore cannot own. */
export function resetPathsOf({ served, subresource }: Target): readonly Path[] {
  const { resource, version } = served;
  if (subresource === '') return version.status ? [['status']] : [];
  if (subresource !== 'status') return [];
  if (resource.custom) return [['metadata'], ['spec']];
  return resource.strategy.statusResetFields ?? [['spec']];
}

/** Restores the fields that a write must not change. */
export function restore(target: Target, object: KubeObject, old: KubeObject): void {
  if (target.subresource === 'status' && target.served.resource.custom)
    restoreAllButStatus(object, old);
  else for (const path of resetPathsOf(target)) restorePath(object, old, path);
}

function restorePath(object: JsonObject, old: JsonObject, [field = '', ...rest]: Path): void {
  const before = old[field];
  if (rest.length === 0) {
    if (before === undefined) delete object[field];
    else object[field] = before;
  } else if (isObject(object[field]))
    restorePath(object[field], isObject(before) ? before : {}, rest);
}

function restoreAllButStatus(object: KubeObject, old: KubeObject): void {
  const { managedFields, resourceVersion } = object.metadata;
  for (const field of Object.keys(object)) {
    if (field !== 'status' && !(field in old)) delete object[field];
  }
  for (const [field, value] of Object.entries(old)) if (field !== 'status') object[field] = value;
  object.metadata = { ...old.metadata };
  delete object.metadata.managedFields;
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
}
