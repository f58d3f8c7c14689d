import type { FieldError } from '../errors/errors.ts';
import { labelValue, type NameRule, qualifiedName } from '../objects/names.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../objects/object.ts';
import { forbidden, invalid, required } from '../schema/field-error.ts';

/** What is wrong with the metadata of any object. */
export const validateMetadata = (
  { metadata }: KubeObject,
  options: { readonly nameRule: NameRule; readonly namespaced: boolean },
): FieldError[] => [
  ...nameErrors(metadata, options.nameRule),
  ...(options.namespaced && !metadata.namespace ? [required('metadata.namespace')] : []),
  ...keyErrors('metadata.labels', metadata.labels),
  ...Object.values(metadata.labels ?? {}).flatMap((value) =>
    labelValue(String(value)).map((why) => invalid('metadata.labels', value, why)),
  ),
  ...keyErrors('metadata.annotations', lowerCaseKeys(metadata.annotations)),
  ...ownerErrors(metadata.ownerReferences ?? []),
  ...(metadata.finalizers ?? []).flatMap((one, index) =>
    finalizerErrors(one, `metadata.finalizers[${index}]`),
  ),
];

/** Takes out what is empty, as decoding metadata does. */
export const dropEmpty = (metadata: ObjectMeta): void => {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[field];
    if (value !== undefined && Object.keys(value ?? {}).length === 0) delete metadata[field];
  }
};

const nameErrors = ({ name, generateName }: ObjectMeta, rule: NameRule): FieldError[] => {
  if (name) return rule(name).map((why) => invalid('metadata.name', name, why));
  return [required('metadata.name', generateName ? '' : 'name or generateName is required')];
};

const keyErrors = (field: string, map: Record<string, string> | undefined): FieldError[] =>
  Object.keys(map ?? {}).flatMap((key) =>
    qualifiedName(key).map((why) => invalid(field, key, why)),
  );

// Annotation keys are checked in lower case, so that capitals are allowed in their prefix.
const lowerCaseKeys = (map: Record<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key.toLowerCase(), value]));

const finalizerErrors = (finalizer: string, field: string): FieldError[] => {
  const problems = qualifiedName(finalizer).map((why) => invalid(field, finalizer, why));
  const standard = ['orphan', 'foregroundDeletion', 'kubernetes'].includes(finalizer);
  if (problems.length > 0 || finalizer.includes('/') || standard) return problems;
  return [
    invalid(
      field,
      finalizer,
      'name is neither a standard finalizer name nor is it fully qualified',
    ),
  ];
};

const OWNERS = 'metadata.ownerReferences';

const ownerErrors = (owners: readonly OwnerReference[]): FieldError[] => {
  const controllers = owners.filter((owner) => owner.controller === true);
  const [first, second] = controllers;
  return [
    ...owners.flatMap(missingOwnerFields),
    ...(first && second
      ? [
          invalid(
            OWNERS,
            owners,
            `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`,
          ),
        ]
      : []),
  ];
};

const missingOwnerFields = (owner: OwnerReference): FieldError[] => {
  const needed = ['apiVersion', 'kind', 'name', 'uid'] as const;
  return needed
    .filter((field) => !owner[field])
    .map((field) =>
      invalid(
        `${OWNERS}.${field}`,
        owner[field] ?? '',
        field === 'apiVersion' ? 'version must not be empty' : 'must not be empty',
      ),
    );
};

/** What an update may not do to the metadata of any object. */
export const validateMetadataUpdate = (object: KubeObject, old: KubeObject): FieldError[] => [
  ...immutable(object.metadata, old.metadata),
  ...finalizersAdded(object.metadata, old.metadata),
];

const IMMUTABLE = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const;

const immutable = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] =>
  IMMUTABLE.filter((field) => (metadata[field] ?? '') !== (old[field] ?? '')).map((field) =>
    invalid(`metadata.${field}`, metadata[field] ?? '', 'field is immutable'),
  );

const finalizersAdded = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] => {
  if (!old.deletionTimestamp) return [];
  const added = (metadata.finalizers ?? []).filter((one) => !old.finalizers?.includes(one));
  if (added.length === 0) return [];
  const list = added.map((one) => JSON.stringify(one)).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
};
