import type { ChildType } from '../child-type.ts';
import type { ChangedField, ChildChange, Impact } from '../impact.ts';
import { current, notObserved } from '../readiness.ts';
import type {
  EndpointSliceBody,
  LeaseBody,
  PodDisruptionBudgetBody,
  PriorityClassBody,
  StorageClassBody,
} from './api-types.ts';

/** Caveats: the log sink excludes Leases, because their holders renew them constantly. Only resyncs repair them. */
export const lease: ChildType<LeaseBody> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
};

/** For addresses outside the cluster. The slices of a Service with a selector belong to Kubernetes' controller. */
export const endpointSlice: ChildType<EndpointSliceBody> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
};

export const podDisruptionBudget: ChildType<PodDisruptionBudgetBody> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  impact: impactOfBudget,
  readiness: (live) => notObserved(live) ?? current,
};

function impactOfBudget({ verb, fields }: ChildChange): readonly Impact[] {
  const isWeaker = fields.some((one) => one.path.startsWith('spec.') && !protectsMore(one));
  return verb === 'delete' || isWeaker ? ['reduce'] : [];
}

/** Reports whether the new value protects more pods; false if only one of the two is a percentage. */
function protectsMore({ path, from, to }: ChangedField): boolean {
  const more = Number.parseFloat(String(to)) - Number.parseFloat(String(from));
  const isMore =
    (path === 'spec.minAvailable' && more > 0) || (path === 'spec.maxUnavailable' && more < 0);
  return isMore && typeof from === typeof to;
}

export const priorityClass: ChildType<PriorityClassBody> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
};

export const storageClass: ChildType<StorageClassBody> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
};
