import type { ChildType } from '../child-type.ts';
import type { StorageClassBody } from './api-types.ts';

export const storageClass: ChildType<StorageClassBody> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
  immutable: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
};
