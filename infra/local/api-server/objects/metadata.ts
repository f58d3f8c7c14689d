import { type FieldError, invalid } from '../errors/field-error.ts';
import { type JsonObject, listAt, objectAt, objectsAt, textAt } from '../json/value.ts';
import { misnamed } from './field-rules.ts';
import { annotationErrors, labelErrors } from './label-rules.ts';
import { qualifiedName } from './names.ts';
import type { ObjectMeta } from './object.ts';

/** Validates the metadata of an object or an embedded object, except the names. */
export function commonMetadataErrors(metadata: JsonObject, path: string): FieldError[] {
  const finalizers = listAt(metadata, 'finalizers').map(String);
  const field = `${path}.finalizers`;
  return [
    ...labelErrors(objectAt(metadata, 'labels'), `${path}.labels`),
    ...annotationErrors(metadata.annotations, `${path}.annotations`),
    ...ownerErrors(objectsAt(metadata, 'ownerReferences'), `${path}.ownerReferences`),
    ...finalizers.flatMap((one) => misnamed(one, field, qualifiedName)),
    ...contradiction(finalizers, field),
  ];
}

/** Refuses both finalizers that decide about dependents: they are either orphaned or awaited. */
function contradiction(finalizers: readonly string[], field: string): FieldError[] {
  if (!['orphan', 'foregroundDeletion'].every((one) => finalizers.includes(one))) return [];
  const why = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [invalid(field, finalizers, why)];
}

function ownerErrors(owners: readonly JsonObject[], path: string): FieldError[] {
  const controllers = owners.filter((owner) => owner.controller === true);
  const [first, second] = controllers;
  return [
    ...owners.flatMap((owner) => missingOwnerFields(owner, path)),
    ...(first && second
      ? [
          invalid(
            path,
            owners,
            `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`,
          ),
        ]
      : []),
  ];
}

function missingOwnerFields(owner: JsonObject, path: string): FieldError[] {
  const apiVersion = textAt(owner, 'apiVersion');
  const { kind } = owner;
  const hasVersion = apiVersion !== '' && apiVersion.split('/').length <= 2;
  return [
    ...(hasVersion ? [] : [invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty')]),
    ...(['kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .map((field) => invalid(`${path}.${field}`, owner[field] ?? '', 'must not be empty')),
    ...(apiVersion === 'v1' && kind === 'Event'
      ? [invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner')]
      : []),
  ];
}

/**
 * Removes empty fields and duplicate owners, and turns null in a map into an empty string, as decoding
 * metadata does.
 */
export function dropEmpty(metadata: ObjectMeta): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[field];
    if (value !== undefined && Object.keys(value ?? {}).length === 0) delete metadata[field];
  }
  const { ownerReferences: owners } = metadata;
  if (owners !== undefined && owners.length > 1) {
    const seen = new Set<string>();
    metadata.ownerReferences = owners.filter((owner) => {
      const text = JSON.stringify(Object.entries(owner).toSorted());
      return !seen.has(text) && seen.add(text);
    });
  }
  for (const field of ['labels', 'annotations'] as const) {
    const entries = Object.entries(metadata[field] ?? {});
    if (!entries.some(([, value]) => value === null)) continue;
    metadata[field] = Object.fromEntries(entries.map(([key, value]) => [key, value ?? '']));
  }
}
