import type { FieldError } from '../errors/field-error.ts';
import { forbidden, invalid, required, tooLong } from '../errors/field-error.ts';
import { commonMetadataErrors } from '../objects/metadata.ts';
import type { NameRule } from '../objects/names.ts';
import type { KubeObject, ObjectMeta } from '../objects/object.ts';

/** Validates the metadata of any object. */
export function validateMetadata(
  { metadata }: KubeObject,
  options: {
    readonly nameRule: NameRule;
    readonly namespaced: boolean;
    readonly custom: boolean;
  },
): FieldError[] {
  return [
    ...nameErrors(metadata, options.nameRule),
    ...(options.namespaced && !metadata.namespace ? [required('metadata.namespace')] : []),
    ...commonMetadataErrors(metadata, 'metadata'),
    ...(metadata.managedFields ?? []).flatMap(({ manager = '', subresource = '' }, index) => [
      ...lengthErrors(manager, `metadata.managedFields[${index}].manager`, 128),
      ...lengthErrors(subresource, `metadata.managedFields[${index}].subresource`, 256),
    ]),
    ...(options.custom ? [] : finalizerErrors(metadata.finalizers ?? [])),
  ];
}

function lengthErrors(text: string, field: string, most: number): FieldError[] {
  return text.length > most ? [tooLong(field, most)] : [];
}

function nameErrors({ name, generateName = '' }: ObjectMeta, rule: NameRule): FieldError[] {
  const beginning = generateName === '' ? [] : rule(asWhole(generateName));
  const wrong = beginning.map((why) => invalid('metadata.generateName', generateName, why));
  if (name) return [...wrong, ...rule(name).map((why) => invalid('metadata.name', name, why))];
  return [
    ...wrong,
    required('metadata.name', generateName ? '' : 'name or generateName is required'),
  ];
}

/** The prefix of a name may end in a dash, because random characters follow. */
function asWhole(beginning: string): string {
  return beginning.length > 1 ? beginning.replace(/-$/, 'a') : beginning;
}

const standardNames = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Custom resources accept any finalizer name; built-in kinds need a qualified name. */
function finalizerErrors(finalizers: readonly string[]): FieldError[] {
  return finalizers.flatMap((one, index) => {
    if (one.includes('/') || standardNames.includes(one)) return [];
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalid(`metadata.finalizers[${index}]`, one, why)];
  });
}

/** Refuses changes of metadata that are forbidden for any object. */
export function validateMetadataUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...immutable(object.metadata, old.metadata),
    ...finalizersAdded(object.metadata, old.metadata),
  ];
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
] as const;

function immutable(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  return immutableFields
    .filter((field) => (metadata[field] ?? '') !== (old[field] ?? ''))
    .map((field) => invalid(`metadata.${field}`, metadata[field] ?? '', 'field is immutable'));
}

function finalizersAdded(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
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
}
