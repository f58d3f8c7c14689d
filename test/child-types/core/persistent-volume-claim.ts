import { persistentVolumeClaim } from '../../../index.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { casesOf, current, inProgress, relabelled } from '../cases.ts';

const phase = (value: string): JsonObject => ({ spec: {}, status: { phase: value } });

export const cases = casesOf(persistentVolumeClaim, {
  body: {
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'standard',
      resources: { requests: { storage: '1024Mi' } },
    },
  },
  edit: relabelled,
  readiness: {
    Bound: { reason: 'it has its volume', live: phase('Bound'), want: current },
    Pending: {
      reason: 'a volume is made, or a pod is waited for',
      live: phase('Pending'),
      want: inProgress('not bound yet, its phase is Pending'),
    },
    Lost: {
      reason: 'its volume is gone',
      live: phase('Lost'),
      want: inProgress('not bound yet, its phase is Lost'),
    },
    New: {
      reason: 'it has no status yet',
      live: { spec: {} },
      want: inProgress('not bound yet, its phase is Pending'),
    },
  },
  fixed: {
    'spec.accessModes': ['ReadWriteMany'],
    'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'other' },
    'spec.dataSourceRef': { kind: 'PersistentVolumeClaim', name: 'other' },
    'spec.selector': { matchLabels: { a: 'b' } },
    'spec.resources.limits': { storage: '4Gi' },
    'spec.volumeMode': 'Block',
    'spec.storageClassName': 'other',
    'spec.resources.requests': { storage: '2Gi' },
    'spec.volumeAttributesClassName': 'fast',
  },
  impact: {
    created: [],
    deleted: ['data-loss'],
    changes: {
      'a claim that grows': {
        reason: 'the data stays',
        fields: { 'spec.resources.requests.storage': ['1Gi', '2Gi'] },
        want: [],
      },
    },
  },
});
