import { isMap } from '../../canonical.ts';
import { present, textAt, valueAt } from '../../json.ts';
import type { Json, KubeObject } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import { type ChildChange, harmless, type Impact, touches } from '../impact.ts';
import { rotationAnnotation } from '../names.ts';
import { conditionOf, current, inProgress, type Readiness } from '../readiness.ts';
import type {
  ConfigMapBody,
  LimitRangeBody,
  PersistentVolumeClaimBody,
  PodBody,
  ResourceQuotaBody,
  SecretBody,
  ServiceAccountBody,
  ServiceBody,
} from './api-types.ts';
import { certificateFacts } from './certificate-facts.ts';
import { addressesOf, shortTextAt } from './facts.ts';

const version = { group: '', version: 'v1' };

/** Empty, because labels and annotations are not part of a body. */
type NamespaceBody = Record<string, never>;

/**
 * Caveats: the garbage collector deletes it with its owner, and with it everything that anyone has in it;
 * `kubectl delete --cascade=orphan` keeps it.
 */
export const namespace: ChildType<NamespaceBody> = {
  ...version,
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  retained: true,
  impact: ({ verb }) => (verb === 'delete' ? ['data-loss'] : []),
};

export const configMap: ChildType<ConfigMapBody> = {
  ...version,
  kind: 'ConfigMap',
  plural: 'configmaps',
  // Pods that should follow a change have a digest of it in their template.
  impact: harmless,
};

/** The part of a Secret that a kind can read. */
interface ReadSecret {
  readonly keys: readonly string[];
}

export const secret: ChildType<SecretBody, ReadSecret> = {
  ...version,
  kind: 'Secret',
  plural: 'secrets',
  // The values may exist nowhere else.
  impact: ({ verb }) => (verb === 'delete' ? ['data-loss'] : []),
  facts: ({ data, metadata }) => {
    const keys = Object.entries(isMap(data as Json) ? (data as object) : {});
    const rotation = shortTextAt(metadata, 'annotations', rotationAnnotation);
    return {
      keys: keys.filter(([, value]) => value !== '').map(([key]) => key),
      ...present({ rotation }),
      ...(rotation === undefined ? {} : certificateFacts(data)),
    };
  },
};

/** Ready once it exists. As in kstatus, an external address is not required. */
export const service: ChildType<ServiceBody, object, ReturnType<typeof serviceFacts>> = {
  ...version,
  kind: 'Service',
  plural: 'services',
  facts: serviceFacts,
  impact: impactOfService,
};

/** Returns the addresses inside and outside the cluster. A headless Service has the clusterIP `None`. */
function serviceFacts(live: KubeObject) {
  const clusterIP = shortTextAt(live.spec, 'clusterIP');
  return { ...present({ clusterIP }), addresses: addressesOf(live) };
}

/** Fields that decide how a Service is reached from outside the cluster. */
const outside = ['spec.externalIPs', 'spec.loadBalancerSourceRanges'];

function impactOfService({ verb, fields, wanted }: ChildChange): readonly Impact[] {
  const isOpen = (type: unknown): boolean => type === 'NodePort' || type === 'LoadBalancer';
  if (verb === 'delete') return ['interrupt'];
  if (verb === 'create') return isOpen(valueAt(wanted, 'spec', 'type')) ? ['open'] : [];
  return fields.flatMap(({ path, from, to }): readonly Impact[] => {
    if (path === 'spec.type')
      return isOpen(to) === isOpen(from) ? ['interrupt'] : [isOpen(to) ? 'open' : 'close'];
    if (outside.some((one) => path.startsWith(one))) return ['open', 'close'];
    if (!path.startsWith('spec.ports')) return path.startsWith('spec.') ? ['reroute'] : [];
    return path.endsWith(']') && from === undefined ? [] : ['interrupt'];
  });
}

export const serviceAccount: ChildType<ServiceAccountBody> = {
  ...version,
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
};

/**
 * Caveats: with a StorageClass that waits for the first consumer, a claim is not ready before a pod uses
 * it. A claim that is pruned, or whose resource is deleted, is deleted with its data.
 */
export const persistentVolumeClaim: ChildType<
  PersistentVolumeClaimBody,
  object,
  ReturnType<typeof claimFacts>
> = {
  ...version,
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  growing: ['spec.resources.requests.storage'],
  readiness: claimReadiness,
  facts: claimFacts,
  impact: ({ verb }) => (verb === 'delete' ? ['data-loss'] : []),
};

/** Returns the phase, which is Pending for a new claim or pod. */
const phaseOf = ({ status }: KubeObject): string => textAt(status, 'phase') ?? 'Pending';

/** Returns the phase and, once the claim is bound, the size that was provided. */
function claimFacts(live: KubeObject) {
  const phase = shortTextAt(live.status, 'phase') ?? 'Pending';
  const capacity = shortTextAt(live.status, 'capacity', 'storage');
  return { phase, ...present({ capacity }) };
}

function claimReadiness(live: KubeObject): Readiness {
  const phase = phaseOf(live);
  return phase === 'Bound' ? current : inProgress(`not bound yet, its phase is ${phase}`);
}

/**
 * Caveats: a pod that ends, fails or is evicted is not replaced, and almost none of its fields can be
 * changed. A Deployment, a StatefulSet or a Job is nearly always better.
 */
export const pod: ChildType<PodBody> = {
  ...version,
  kind: 'Pod',
  plural: 'pods',
  readiness: podReadiness,
  impact: impactOfPod,
};

/** Judges a change of a container as a restart, because it is started again in place. */
function impactOfPod({ verb, fields }: ChildChange): readonly Impact[] {
  if (verb === 'delete') return ['interrupt'];
  return touches(fields, 'spec.containers', 'spec.initContainers') ? ['restart'] : [];
}

/** Follows kstatus, except that a pod that cannot be scheduled stays InProgress however long. */
function podReadiness(live: KubeObject): Readiness {
  const phase = phaseOf(live);
  if (phase === 'Succeeded') return current;
  if (phase === 'Failed') {
    const message = textAt(live.status, 'message') ?? 'a container has failed';
    return { state: 'Failed', reason: textAt(live.status, 'reason') ?? 'PodFailed', message };
  }
  const scheduled = conditionOf(live, 'PodScheduled');
  if (scheduled?.reason === 'Unschedulable')
    return inProgress(`not scheduled yet: ${scheduled.message ?? scheduled.reason}`);
  if (phase !== 'Running') return inProgress(`not running yet, its phase is ${phase}`);
  const crashing = crashLooping(live);
  if (crashing !== undefined)
    return {
      state: 'Failed',
      reason: 'CrashLoopBackOff',
      message: `container ${crashing} keeps crashing`,
    };
  return conditionOf(live, 'Ready')?.isTrue ? current : inProgress('running, but not ready yet');
}

function crashLooping({ status }: KubeObject): string | undefined {
  const statuses = valueAt(status, 'containerStatuses');
  const crashing = (Array.isArray(statuses) ? statuses : []).find(
    (one: unknown) => textAt(one, 'state', 'waiting', 'reason') === 'CrashLoopBackOff',
  );
  return textAt(crashing, 'name');
}

export const resourceQuota: ChildType<ResourceQuotaBody> = {
  ...version,
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  impact: harmless,
};

export const limitRange: ChildType<LimitRangeBody> = {
  ...version,
  kind: 'LimitRange',
  plural: 'limitranges',
  impact: harmless,
};
