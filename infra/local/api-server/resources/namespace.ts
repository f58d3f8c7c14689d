import { type FieldError, forbiddenRequest } from '../errors/errors.ts';
import { dnsLabel, qualifiedName } from '../objects/names.ts';
import { ensureMap, type KubeObject, listAt, mapAt, textAt } from '../objects/object.ts';
import { invalid } from '../schema/field-error.ts';
import { misnamed } from './bounds.ts';
import type { Strategy } from './strategy.ts';

/** Namespaces go in two steps: DELETE marks them, and `finalize` lets go once they are empty. */
export const namespace: Strategy = {
  nameRule: dnsLabel,
  unconditionalUpdate: true,
  selectableFields: (object) => ({ 'status.phase': textAt(mapAt(object, 'status'), 'phase') }),
  defaults: labelWithName,
  prepareCreate: (object) => {
    ensureMap(object, 'spec').finalizers = ['kubernetes'];
    object.status = { phase: 'Active' };
  },
  prepareUpdate: (object, old) => {
    ensureMap(object, 'spec').finalizers = listAt(mapAt(old, 'spec'), 'finalizers');
  },
  judgesAlone: true,
  validate: (object, old) => (old ? phaseErrors(object) : []),
  oneByOne: true,
  assertDeletable: (name) => {
    if (!UNDELETABLE.includes(name)) return;
    throw forbiddenRequest(
      { group: '', plural: 'namespaces', name },
      'this namespace may not be deleted',
    );
  },
  marksItself: true,
  prepareDelete: (object) => {
    if (hasFinalizers(object)) ensureMap(object, 'status').phase = 'Terminating';
  },
  staysUntilFinalized: hasFinalizers,
};

/** The phase tells of a deletion, and is no one's to choose. */
const phaseErrors = (object: KubeObject): FieldError[] => {
  const phase = textAt(mapAt(object, 'status'), 'phase');
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const wanted = isDeleting ? 'Terminating' : 'Active';
  const why = `may only be '${wanted}' if \`deletionTimestamp\` is ${isDeleting ? 'not ' : ''}empty`;
  return phase === wanted ? [] : [invalid('status.Phase', phase, why)];
};

/** What is wrong with the finalizers in a namespace's specification. */
export const ownFinalizerErrors = (object: KubeObject): FieldError[] =>
  listAt(mapAt(object, 'spec'), 'finalizers')
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

const UNDELETABLE = ['default', 'kube-system', 'kube-public'];

function hasFinalizers(object: KubeObject): boolean {
  return listAt(mapAt(object, 'spec'), 'finalizers').length > 0;
}

function labelWithName(object: KubeObject): void {
  const { metadata } = object;
  if (metadata.name) {
    metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  }
}
