import { forbiddenRequest } from '../errors/api-errors.ts';
import { type FieldError, invalid } from '../errors/field-error.ts';
import { ensureObject, listAt, objectAt, textAt } from '../json/value.ts';
import { misnamed } from '../objects/field-rules.ts';
import { dnsLabel, qualifiedName } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import { ageCell, cell, printer } from '../printing/printer.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

/** Namespaces are deleted in two steps: DELETE marks them, and `finalize` removes them when they are empty. */
const namespace: Strategy = {
  nameRule: dnsLabel,
  allowUnconditionalUpdate: true,
  selectableFields: (object) => ({ 'status.phase': textAt(objectAt(object, 'status'), 'phase') }),
  defaults: labelWithName,
  prepareForCreate: (object) => {
    ensureObject(object, 'spec').finalizers = ['kubernetes'];
    object.status = { phase: 'Active' };
  },
  prepareForUpdate: (object, old) => {
    ensureObject(object, 'spec').finalizers = listAt(objectAt(old, 'spec'), 'finalizers');
  },
  replacesSchemaValidation: true,
  validate: (object, old) => (old ? phaseErrors(object) : []),
  noDeleteCollection: true,
  assertDeletable: (name) => {
    if (!undeletable.includes(name)) return;
    throw forbiddenRequest(
      { group: '', plural: 'namespaces', name },
      'this namespace may not be deleted',
    );
  },
  noGracePeriod: true,
  prepareForDelete: (object) => {
    if (hasFinalizers(object)) ensureObject(object, 'status').phase = 'Terminating';
  },
  hasOtherFinalizers: hasFinalizers,
};

/** The phase follows from the deletion; a value from a writer is ignored. */
function phaseErrors(object: KubeObject): FieldError[] {
  const phase = textAt(objectAt(object, 'status'), 'phase');
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const wanted = isDeleting ? 'Terminating' : 'Active';
  const why = `may only be '${wanted}' if \`deletionTimestamp\` is ${isDeleting ? 'not ' : ''}empty`;
  return phase === wanted ? [] : [invalid('status.Phase', phase, why)];
}

/** Validates the finalizers in a namespace's specification. */
export function ownFinalizerErrors(object: KubeObject): FieldError[] {
  return listAt(objectAt(object, 'spec'), 'finalizers')
    .map(String)
    .flatMap((one, index) => {
      const field = `spec.finalizers[${index}]`;
      const isStandard = ['kubernetes', 'orphan', 'foregroundDeletion'].includes(one);
      const why = 'name is neither a standard finalizer name nor is it fully qualified';
      return [
        ...misnamed(one, field, qualifiedName),
        ...(isStandard || one.includes('/') ? [] : [invalid(field, one, why)]),
      ];
    });
}

const undeletable = ['default', 'kube-system', 'kube-public'];

function hasFinalizers(object: KubeObject): boolean {
  return listAt(objectAt(object, 'spec'), 'finalizers').length > 0;
}

function labelWithName(object: KubeObject): void {
  const { metadata } = object;
  if (metadata.name) {
    metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  }
}

const namespacePrinter = printer([
  cell('Status', (object) => textAt(objectAt(object, 'status'), 'phase')),
  ageCell,
]);

export const namespaceKind: KindEntry = {
  group: '',
  kind: 'Namespace',
  strategy: namespace,
  printer: namespacePrinter,
  fields: ['status.phase'],
};
