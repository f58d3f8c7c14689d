import type { FieldError } from '../errors/errors.ts';
import type { NameRule } from '../objects/names.ts';
import type { KubeObject, ObjectMeta } from '../objects/object.ts';
import { commonMetadataErrors } from '../resources/metadata-rules.ts';
import { forbidden, invalid, required, tooLong } from '../schema/field-error.ts';

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
  ...commonMetadataErrors(metadata, 'metadata'),
  ...(metadata.managedFields ?? []).flatMap(({ manager = '', subresource = '' }, index) => [
    ...lengthErrors(manager, `metadata.managedFields[${index}].manager`, 128),
    ...lengthErrors(subresource, `metadata.managedFields[${index}].subresource`, 256),
  ]),
  ...(options.custom ? [] : finalizerErrors(metadata.finalizers ?? [])),
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
};

const nameErrors = ({ name, generateName = '' }: ObjectMeta, rule: NameRule): FieldError[] => {
  const beginning = generateName === '' ? [] : rule(asWhole(generateName));
  const wrong = beginning.map((why) => invalid('metadata.generateName', generateName, why));
  if (name) return [...wrong, ...rule(name).map((why) => invalid('metadata.name', name, why))];
  return [
    ...wrong,
    required('metadata.name', generateName ? '' : 'name or generateName is required'),
  ];
};

/** The beginning of a name may end in a dash, for something follows. */
const asWhole = (beginning: string): string =>
  beginning.length > 1 ? beginning.replace(/-$/, 'a') : beginning;

const STANDARD = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Of custom resources a finalizer may be any name; of others it says whose it is. */
const finalizerErrors = (finalizers: readonly string[]): FieldError[] =>
  finalizers.flatMap((one, index) => {
    if (one.includes('/') || STANDARD.includes(one)) return [];
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalid(`metadata.finalizers[${index}]`, one, why)];
  });

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
  const finalizers = new Set(metadata.finalizers);
  const added = [...finalizers.difference(new Set(old.finalizers))].sort();
  if (added.length === 0) return [];
  const list = added.map((one) => JSON.stringify(one)).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
};
