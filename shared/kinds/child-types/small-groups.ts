import type { ChildType } from '../child-type.ts';
import { harmless } from '../impact.ts';
import { current, notObserved } from '../readiness.ts';
import type {
  EndpointSliceBody,
  LeaseBody,
  PodDisruptionBudgetBody,
  PriorityClassBody,
  StorageClassBody,
} from './api-types.ts';

/**
 * Caveats: the log sink leaves Leases out, because their holders renew them all the time. Only resyncs
 * repair them.
 */
export const lease: ChildType<LeaseBody> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
};

/** For addresses outside the cluster. The slices of a Service with a selector belong to its controller. */
export const endpointSlice: ChildType<EndpointSliceBody> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  immutable: ['addressType'],
};

export const podDisruptionBudget: ChildType<PodDisruptionBudgetBody> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  impact: harmless,
  readiness: (live) => notObserved(live) ?? current,
};

export const priorityClass: ChildType<PriorityClassBody> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
  immutable: ['preemptionPolicy', 'value'],
};

export const storageClass: ChildType<StorageClassBody> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
  immutable: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
};
