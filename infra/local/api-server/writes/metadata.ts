import type { FieldError } from '../errors/errors.ts';
import { labelValue, type NameRule, qualifiedName } from '../objects/names.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../objects/object.ts';
import { forbidden, invalid, required, tooLong } from '../schema/field-error.ts';
import { jsonEqual } from '../schema/json.ts';

/** What is wrong with the metadata of any object. */
export const validateMetadata = (
  { metadata }: KubeObject,
  options: {
    readonly nameRule: NameRule;
    readonly namespaced: boolean;
    readonly custom: boolean;
  },
): FieldError[] => [
  ...nameErrors(metadata, options.nameRule),
  ...(options.namespaced && !metadata.namespace ? [required('metadata.namespace')] : []),
  ...keyErrors('metadata.labels', metadata.labels),
  ...Object.values(metadata.labels ?? {}).flatMap((value) =>
    labelValue(String(value)).map((why) => invalid('metadata.labels', value, why)),
  ),
  ...keyErrors('metadata.annotations', lowerCaseKeys(metadata.annotations)),
  ...ownerErrors(metadata.ownerReferences ?? []),
  ...(metadata.managedFields ?? []).flatMap(({ manager = '', subresource = '' }, index) => [
    ...lengthErrors(manager, `metadata.managedFields[${index}].manager`, 128),
    ...lengthErrors(subresource, `metadata.managedFields[${index}].subresource`, 256),
  ]),
  ...(metadata.finalizers ?? []).flatMap((one, index) =>
    finalizerErrors(one, `metadata.finalizers[${index}]`, options.custom),
  ),
];

const lengthErrors = (text: string, field: string, most: number): FieldError[] =>
  text.length > most ? [tooLong(field, most)] : [];

/** Takes out what is empty or an owner named twice, and reads null in a map as an empty text, as decoding metadata does. */
export const dropEmpty = (metadata: ObjectMeta): void => {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[field];
    if (value !== undefined && Object.keys(value ?? {}).length === 0) delete metadata[field];
  }
  const { ownerReferences: owners } = metadata;
  if (owners !== undefined) {
    metadata.ownerReferences = owners.filter(
      (owner, index) => owners.findIndex((other) => jsonEqual(owner, other)) === index,
    );
  }
  for (const field of ['labels', 'annotations'] as const) {
    const entries = Object.entries(metadata[field] ?? {});
    if (!entries.some(([, value]) => value === null)) continue;
    metadata[field] = Object.fromEntries(entries.map(([key, value]) => [key, value ?? '']));
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

/** Of custom resources a finalizer may be any name. */
const finalizerErrors = (finalizer: string, field: string, custom: boolean): FieldError[] => {
  const problems = qualifiedName(finalizer).map((why) => invalid(field, finalizer, why));
  const standard = ['orphan', 'foregroundDeletion', 'kubernetes'].includes(finalizer);
  if (custom || finalizer.includes('/') || standard) return problems;
  return [
    ...problems,
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
