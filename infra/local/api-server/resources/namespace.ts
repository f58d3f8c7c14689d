import { forbiddenRequest } from '../errors/errors.ts';
import { dnsLabel } from '../objects/names.ts';
import { ensureMap, type KubeObject, listAt, mapAt, textAt } from '../objects/object.ts';
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
