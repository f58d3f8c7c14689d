import { storageClass } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(storageClass, {
  body: {
    provisioner: 'park.example.org',
    parameters: { kind: 'fast' },
    allowVolumeExpansion: true,
  },
  edit: { patch: { allowVolumeExpansion: false }, path: 'allowVolumeExpansion' },
  fixed: {
    parameters: { kind: 'slow' },
    provisioner: 'other.example.org',
    reclaimPolicy: 'Retain',
    volumeBindingMode: 'WaitForFirstConsumer',
  },
  impact: { created: [], deleted: ['unknown'] },
});
