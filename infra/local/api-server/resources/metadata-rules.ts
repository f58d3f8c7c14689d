import { qualifiedName } from '../objects/names.ts';
import { type JsonMap, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { type FieldError, invalid } from '../schema/field-error.ts';
import { misnamed } from './bounds.ts';
import { annotationErrors, labelErrors } from './label-rules.ts';

/** What is wrong with metadata but for its names, be it of an object or of one embedded in it. */
export const commonMetadataErrors = (metadata: JsonMap, path: string): FieldError[] => {
  const finalizers = listAt(metadata, 'finalizers').map(String);
  const field = `${path}.finalizers`;
  return [
    ...labelErrors(mapAt(metadata, 'labels'), `${path}.labels`),
    ...annotationErrors(metadata.annotations, `${path}.annotations`),
    ...ownerErrors(mapsAt(metadata, 'ownerReferences'), `${path}.ownerReferences`),
    ...finalizers.flatMap((one) => misnamed(one, field, qualifiedName)),
    ...contradiction(finalizers, field),
  ];
};

/** What depends on an object is orphaned or waited for, not both. */
const contradiction = (finalizers: readonly string[], field: string): FieldError[] => {
  if (!['orphan', 'foregroundDeletion'].every((one) => finalizers.includes(one))) return [];
  const why = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [invalid(field, finalizers, why)];
};

const ownerErrors = (owners: readonly JsonMap[], path: string): FieldError[] => {
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
};

const missingOwnerFields = (owner: JsonMap, path: string): FieldError[] => {
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
};
