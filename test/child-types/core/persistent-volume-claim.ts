import { persistentVolumeClaim } from '../../../index.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { casesOf, current, inProgress, relabelled } from '../cases.ts';

const phase = (value: string): JsonObject => ({ spec: {}, status: { phase: value } });
const sized = (storage: string): JsonObject => ({
  spec: { resources: { requests: { storage } } },
});

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
  immutable: {
    Class: {
      reason: 'the class is set once',
      live: { spec: { storageClassName: 'a' }, status: { phase: 'Pending' } },
      wanted: { spec: { storageClassName: 'b' } },
      path: 'spec.storageClassName',
      isRefused: true,
    },
    ClassLater: {
      reason: 'the class may be set later',
      live: phase('Pending'),
      wanted: { spec: { storageClassName: 'b' } },
      path: 'spec.storageClassName',
      isRefused: false,
    },
    Size: {
      reason: 'a claim without a volume cannot grow',
      live: { ...sized('1Gi'), status: { phase: 'Pending' } },
      wanted: sized('2Gi'),
      path: 'spec.resources.requests.storage',
      isRefused: true,
    },
    SizeBound: {
      reason: 'a bound claim can grow',
      live: { ...sized('1Gi'), status: { phase: 'Bound' } },
      wanted: sized('2Gi'),
      path: 'spec.resources.requests.storage',
      isRefused: false,
    },
    VolumeBound: {
      reason: 'a claim keeps its volume',
      live: { spec: { volumeName: 'a' }, status: { phase: 'Bound' } },
      wanted: { spec: { volumeName: 'b' } },
      path: 'spec.volumeName',
      isRefused: true,
    },
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
