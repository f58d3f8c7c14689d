import { childType } from '../child-type.ts';
import { type ChangedField, lowers } from '../impact.ts';
import { current, onceObserved } from '../readiness.ts';
import type {
  ClusterRoleBindingBody,
  ClusterRoleBody,
  EndpointSliceBody,
  HorizontalPodAutoscalerBody,
  LeaseBody,
  PodDisruptionBudgetBody,
  PriorityClassBody,
  ResourceClaimBody,
  ResourceClaimTemplateBody,
  RoleBindingBody,
  RoleBody,
  StorageClassBody,
} from './api-types.ts';
import { numbersIn } from './facts.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const clusterRbac = { ...rbac, scope: 'Cluster' } as const;

/**
 * Caveats: the API server refuses a Role with permissions that the functions' user lacks. The generated RBAC grants
 * this user the rules of each Role that a sample creates.
 */
export const role = childType<RoleBody>()('Role', 'roles', rbac);

/**
 * Caveats: the functions' user may `bind` the roles that the samples' bindings name. To bind another role, this
 * user needs `bind` for it, or the role's permissions.
 */
export const roleBinding = childType<RoleBindingBody>()('RoleBinding', 'rolebindings', rbac);

/** Caveats: as for `role`. */
export const clusterRole = childType<ClusterRoleBody>()('ClusterRole', 'clusterroles', clusterRbac);

/** Caveats: as for `roleBinding`. */
export const clusterRoleBinding = childType<ClusterRoleBindingBody>()(
  'ClusterRoleBinding',
  'clusterrolebindings',
  clusterRbac,
);

/** Caveats: the log sink excludes Leases, because they are renewed constantly. So only resyncs repair them. */
export const lease = childType<LeaseBody>()('Lease', 'leases', {
  group: 'coordination.k8s.io',
  version: 'v1',
});

/** The addresses of a Service without a selector. For other Services, Kubernetes itself writes EndpointSlices. */
export const endpointSlice = childType<EndpointSliceBody>()('EndpointSlice', 'endpointslices', {
  group: 'discovery.k8s.io',
  version: 'v1',
});

export const priorityClass = childType<PriorityClassBody>()('PriorityClass', 'priorityclasses', {
  group: 'scheduling.k8s.io',
  version: 'v1',
  scope: 'Cluster',
});

export const storageClass = childType<StorageClassBody>()('StorageClass', 'storageclasses', {
  group: 'storage.k8s.io',
  version: 'v1',
  scope: 'Cluster',
});

const resource = { group: 'resource.k8s.io', version: 'v1' };

export const resourceClaim = childType<ResourceClaimBody>()(
  'ResourceClaim',
  'resourceclaims',
  resource,
);

export const resourceClaimTemplate = childType<ResourceClaimTemplateBody>()(
  'ResourceClaimTemplate',
  'resourceclaimtemplates',
  resource,
);

export const podDisruptionBudget = childType<PodDisruptionBudgetBody>()(
  'PodDisruptionBudget',
  'poddisruptionbudgets',
  {
    group: 'policy',
    version: 'v1',
    impact: ({ verb, fields }) => {
      const isWeaker = fields.some((one) => one.path.startsWith('spec.') && !protectsMore(one));
      return verb === 'delete' || isWeaker ? ['reduce'] : [];
    },
    readiness: onceObserved(() => current),
  },
);

/** Returns false for a number and a percentage, which cannot be compared. */
function protectsMore({ path, from, to }: ChangedField): boolean {
  const more = Number.parseFloat(String(to)) - Number.parseFloat(String(from));
  const isMore =
    (path === 'spec.minAvailable' && more > 0) || (path === 'spec.maxUnavailable' && more < 0);
  return isMore && typeof from === typeof to;
}

export const horizontalPodAutoscaler = childType<HorizontalPodAutoscalerBody>()(
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
  {
    group: 'autoscaling',
    version: 'v2',
    facts: (live) => numbersIn(live, 'currentReplicas', 'desiredReplicas'),
    impact: ({ verb, fields }) => {
      const isNarrowed =
        lowers(fields, 'spec.minReplicas', 1) || lowers(fields, 'spec.maxReplicas');
      return verb === 'delete' || isNarrowed ? ['reduce'] : [];
    },
  },
);
