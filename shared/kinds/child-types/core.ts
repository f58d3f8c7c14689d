import { isFields, listAt, present, textAt, valueAt } from '../../json.ts';
import type { KubeObject } from '../../kubernetes.ts';
import { childType } from '../child-type.ts';
import { type ChildChange, harmless, type Impact, type JudgeImpact, touches } from '../impact.ts';
import { rotationAnnotation } from '../names.ts';
import { conditionOf, current, failed, inProgress, type Readiness } from '../readiness.ts';
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
import { addressesOf, certificateFacts, publicKeysIn, shortTextAt } from './facts.ts';

const api = { group: '', version: 'v1' };

const holdsData: JudgeImpact = ({ verb }) => (verb === 'delete' ? ['data-loss'] : []);

/** Empty, because labels and annotations are not part of a body. */
type NamespaceBody = Record<string, never>;

/**
 * Caveats: when the owner is deleted, the garbage collector deletes the Namespace with everything in it,
 * even what others created there. `kubectl delete --cascade=orphan` on the owner keeps the Namespace.
 */
export const namespace = childType<NamespaceBody>()('Namespace', 'namespaces', {
  ...api,
  scope: 'Cluster',
  retained: true,
  impact: holdsData,
});

export const configMap = childType<ConfigMapBody>()('ConfigMap', 'configmaps', {
  ...api,
  // A change restarts no pod, unless the pod template contains a digest (`rollOnChange`).
  impact: harmless,
});

interface ReadSecret {
  readonly keys: readonly string[];
}

export const secret = childType<SecretBody, ReadSecret>()('Secret', 'secrets', {
  ...api,
  impact: holdsData,
  facts: ({ data, metadata }) => {
    const values = isFields(data) ? data : {};
    const keys = Object.entries(values);
    const rotation = shortTextAt(metadata, 'annotations', rotationAnnotation);
    return {
      keys: keys.filter(([, value]) => value !== '').map(([key]) => key),
      ...present({ rotation, publicKeys: publicKeysIn(values) }),
      ...(rotation === undefined ? {} : certificateFacts(data)),
    };
  },
});

/** A Service is ready once it exists. As in kstatus, it may still wait for its external address. */
export const service = childType<ServiceBody>()('Service', 'services', {
  ...api,
  facts: (live) => ({
    ...present({ clusterIP: shortTextAt(live.spec, 'clusterIP') }),
    addresses: addressesOf(live),
  }),
  impact: impactOfService,
});

/** Fields that determine how a Service is reached from outside the cluster. */
const outside = ['spec.externalIPs', 'spec.loadBalancerSourceRanges'];

function impactOfService({ verb, fields, desired }: ChildChange): readonly Impact[] {
  const isOpen = (type: unknown): boolean => type === 'NodePort' || type === 'LoadBalancer';
  if (verb === 'delete') return ['interrupt'];
  if (verb === 'create') return isOpen(valueAt(desired, 'spec', 'type')) ? ['open'] : [];
  return fields.flatMap(({ path, from, to }): readonly Impact[] => {
    if (path === 'spec.type')
      return isOpen(to) === isOpen(from) ? ['interrupt'] : [isOpen(to) ? 'open' : 'close'];
    if (outside.some((one) => path.startsWith(one))) return ['open', 'close'];
    if (!path.startsWith('spec.ports')) return path.startsWith('spec.') ? ['reroute'] : [];
    return path.endsWith(']') && from === undefined ? [] : ['interrupt'];
  });
}

export const serviceAccount = childType<ServiceAccountBody>()(
  'ServiceAccount',
  'serviceaccounts',
  api,
);

/**
 * Caveats: with `volumeBindingMode: WaitForFirstConsumer` a claim is not ready until a pod uses it. A claim is deleted
 * once it is no longer desired or its resource is deleted. Then the data is lost unless the volume is retained.
 */
export const persistentVolumeClaim = childType<PersistentVolumeClaimBody>()(
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
  {
    ...api,
    growing: ['spec.resources.requests.storage'],
    readiness: (live) => {
      const { phase } = claimFacts(live);
      return phase === 'Bound' ? current : inProgress(`not bound yet, its phase is ${phase}`);
    },
    facts: claimFacts,
    impact: holdsData,
  },
);

function claimFacts({ status }: KubeObject) {
  const phase = shortTextAt(status, 'phase') ?? 'Pending';
  const capacity = shortTextAt(status, 'capacity', 'storage');
  return { phase, ...present({ capacity }) };
}

/**
 * Caveats: a pod that completes or fails is not replaced until it is deleted, and almost none of its fields can be
 * changed. Prefer a Deployment, StatefulSet or Job.
 */
export const pod = childType<PodBody>()('Pod', 'pods', {
  ...api,
  readiness: podReadiness,
  // The kubelet restarts a changed container in place.
  impact: ({ verb, fields }) => {
    if (verb === 'delete') return ['interrupt'];
    return touches(fields, 'spec.containers', 'spec.initContainers') ? ['restart'] : [];
  },
});

/** As in kstatus, except that Failed is a failure, and an unschedulable pod is InProgress. */
function podReadiness(live: KubeObject): Readiness {
  const phase = textAt(live.status, 'phase') ?? 'Pending';
  if (phase === 'Succeeded') return current;
  if (phase === 'Failed')
    return failed(
      textAt(live.status, 'reason') ?? 'PodFailed',
      textAt(live.status, 'message') ?? 'a container has failed',
    );
  const scheduled = conditionOf(live, 'PodScheduled');
  if (scheduled?.reason === 'Unschedulable')
    return inProgress(`not scheduled yet: ${scheduled.message ?? scheduled.reason}`);
  if (phase !== 'Running') return inProgress(`not running yet, its phase is ${phase}`);
  const crashing = listAt(live.status, 'containerStatuses').find(
    (one) => textAt(one, 'state', 'waiting', 'reason') === 'CrashLoopBackOff',
  );
  const container = textAt(crashing, 'name');
  if (container !== undefined)
    return failed('CrashLoopBackOff', `container ${container} keeps crashing`);
  return conditionOf(live, 'Ready')?.isTrue ? current : inProgress('running, but not ready yet');
}

export const resourceQuota = childType<ResourceQuotaBody>()('ResourceQuota', 'resourcequotas', {
  ...api,
  impact: harmless,
});

export const limitRange = childType<LimitRangeBody>()('LimitRange', 'limitranges', {
  ...api,
  impact: harmless,
});
