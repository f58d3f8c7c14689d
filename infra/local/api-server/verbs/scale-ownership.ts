import { difference, type FieldSet, fieldSet, intersection, isEmpty } from '../fields/field-set.ts';
import { managersOf, withEntries } from '../fields/managers.ts';
import { fieldElement } from '../fields/path-element.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ScalePaths } from '../resources/resource.ts';

/**
 * Moves the replicas from the Update entry of the manager that wrote them to a new entry, even if the scale changes
 * nothing. The reason: the real server looks for the old entry under another version.
 */
export function withOwnEntry(object: KubeObject, paths: ScalePaths): KubeObject {
  const replicas = replicasField(paths);
  const entries = [...managersOf(object).values()].flatMap((entry) => {
    if (entry.operation === 'Apply' || !owns(entry.fieldsV1, paths)) return [entry];
    const { time: _, ...timeless } = entry;
    const rest = { ...entry, fieldsV1: difference(entry.fieldsV1, replicas) };
    const own = { ...timeless, fieldsV1: replicas };
    return isEmpty(rest.fieldsV1) ? [own] : [rest, own];
  });
  return withEntries(object, entries);
}

/** Scales of custom resources track no fields in any version, so the replicas lose their owner. */
export function withoutOwners(object: KubeObject, paths: ScalePaths): KubeObject {
  const replicas = replicasField(paths);
  const entries = [...managersOf(object).values()].map((entry) =>
    owns(entry.fieldsV1, paths)
      ? { ...entry, fieldsV1: difference(entry.fieldsV1, replicas) }
      : entry,
  );
  return withEntries(
    object,
    entries.filter(({ fieldsV1 }) => !isEmpty(fieldsV1)),
  );
}

function replicasField({ specReplicasPath }: ScalePaths): FieldSet {
  const parts = specReplicasPath.split('.').filter(Boolean);
  return fieldSet(parts.map((part) => fieldElement(part)));
}

/** Reports whether the fields contain the replicas of a scale. */
export function owns(fields: FieldSet, paths: ScalePaths): boolean {
  return !isEmpty(intersection(fields, replicasField(paths)));
}
