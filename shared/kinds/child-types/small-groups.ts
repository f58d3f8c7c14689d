import type { KubeObject } from '../../kubernetes.ts';
import { type ChildType, plain } from '../child-type.ts';
import { type ChangedField, type ChildChange, type Impact, lowers } from '../impact.ts';
import { current, onceObserved } from '../readiness.ts';
import type {
  EndpointSliceBody,
  HorizontalPodAutoscalerBody,
  LeaseBody,
  PodDisruptionBudgetBody,
  PriorityClassBody,
  ResourceClaimBody,
  ResourceClaimTemplateBody,
  StorageClassBody,
} from './api-types.ts';
import { numbersIn } from './facts.ts';

/** Caveats: the log sink excludes Leases, because their holders renew them constantly. Only resyncs repair them. */
export const lease = plain<LeaseBody>('Lease', 'leases', {
  group: 'coordination.k8s.io',
  version: 'v1',
});

/** For addresses outside the cluster. Kubernetes itself writes the slices of a Service with a selector. */
export const endpointSlice = plain<EndpointSliceBody>('EndpointSlice', 'endpointslices', {
  group: 'discovery.k8s.io',
  version: 'v1',
});

export const priorityClass = plain<PriorityClassBody>('PriorityClass', 'priorityclasses', {
  group: 'scheduling.k8s.io',
  version: 'v1',
  scope: 'Cluster',
});

export const storageClass = plain<StorageClassBody>('StorageClass', 'storageclasses', {
  group: 'storage.k8s.io',
  version: 'v1',
  scope: 'Cluster',
});

const resource = { group: 'resource.k8s.io', version: 'v1' };

export const resourceClaim = plain<ResourceClaimBody>('ResourceClaim', 'resourceclaims', resource);

export const resourceClaimTemplate = plain<ResourceClaimTemplateBody>(
  'ResourceClaimTemplate',
  'resourceclaimtemplates',
  resource,
);

export const podDisruptionBudget: ChildType<PodDisruptionBudgetBody> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  impact: impactOfBudget,
  readiness: onceObserved(() => current),
};

function impactOfBudget({ verb, fields }: ChildChange): readonly Impact[] {
  const isWeaker = fields.some((one) => one.path.startsWith('spec.') && !protectsMore(one));
  return verb === 'delete' || isWeaker ? ['reduce'] : [];
}

/** Reports whether the new value protects more pods; false if only one of the values is a percentage. */
function protectsMore({ path, from, to }: ChangedField): boolean {
  const more = Number.parseFloat(String(to)) - Number.parseFloat(String(from));
  const isMore =
    (path === 'spec.minAvailable' && more > 0) || (path === 'spec.maxUnavailable' && more < 0);
  return isMore && typeof from === typeof to;
}

const autoscalerFacts = (live: KubeObject) => numbersIn(live, 'currentReplicas', 'desiredReplicas');

export const horizontalPodAutoscaler: ChildType<
  HorizontalPodAutoscalerBody,
  object,
  ReturnType<typeof autoscalerFacts>
> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  facts: autoscalerFacts,
  impact: impactOfAutoscaler,
};

function impactOfAutoscaler({ verb, fields }: ChildChange): readonly Impact[] {
  const isNarrowed = lowers(fields, 'spec.minReplicas', 1) || lowers(fields, 'spec.maxReplicas');
  return verb === 'delete' || isNarrowed ? ['reduce'] : [];
}
