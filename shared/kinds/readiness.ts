import type { KubeObject } from '../kubernetes.ts';

/** Whether a live object is in the state that its spec asks for, by the rules of kstatus. */
export type Readiness =
  | { readonly state: 'Current' }
  | { readonly state: 'InProgress'; readonly message: string }
  | { readonly state: 'Failed'; readonly reason: string; readonly message: string };

/** As kstatus, it does not wait for an external address: without a cloud provider there is none. */
export function serviceReadiness({ spec }: KubeObject): Readiness {
  const { type, clusterIP = '' } = spec as { readonly type?: string; readonly clusterIP?: string };
  return type === 'LoadBalancer' && clusterIP === ''
    ? { state: 'InProgress', message: 'no cluster IP assigned yet' }
    : { state: 'Current' };
}

interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

/** As kstatus: observed, not past its deadline, all pods updated, old ones gone, all available. */
export function deploymentReadiness(live: KubeObject): Readiness {
  const { replicas: wanted = 1 } = live.spec as { readonly replicas?: number };
  const status = (live.status ?? {}) as DeploymentStatus;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const wait = (message: string): Readiness => ({ state: 'InProgress', message });
  if ((status.observedGeneration ?? 0) < (live.metadata.generation ?? 0)) {
    return wait('the Deployment controller has not observed the latest change yet');
  }
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    return {
      state: 'Failed',
      reason: progressing.reason,
      message: progressing.message ?? 'progress deadline exceeded',
    };
  }
  if (updatedReplicas < wanted) return wait(`${updatedReplicas} of ${wanted} replicas updated`);
  if (replicas > updatedReplicas)
    return wait(`${replicas - updatedReplicas} old replicas still running`);
  if (replicas > wanted) return wait(`${replicas - wanted} excess replicas still running`);
  if (availableReplicas < wanted)
    return wait(`${availableReplicas} of ${wanted} replicas available`);
  return { state: 'Current' };
}

interface StatefulSetSpec {
  readonly replicas?: number;
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
}

interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
}

/**
 * As kstatus: observed, all pods created, all ready, none too many, all above the partition updated.
 *
 * Caveats: unlike kstatus, with OnDelete the pods must exist and be ready; only their update is not
 * waited for. A StatefulSet never reports failure.
 */
export function statefulSetReadiness(live: KubeObject): Readiness {
  const { replicas: wanted = 1, updateStrategy } = live.spec as StatefulSetSpec;
  const status = (live.status ?? {}) as StatefulSetStatus;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status;
  const wait = (message: string): Readiness => ({ state: 'InProgress', message });
  if ((status.observedGeneration ?? 0) < (live.metadata.generation ?? 0))
    return wait('the StatefulSet controller has not observed the latest change yet');
  if (replicas < wanted) return wait(`${replicas} of ${wanted} replicas created`);
  if (readyReplicas < wanted) return wait(`${readyReplicas} of ${wanted} replicas ready`);
  if (replicas > wanted) return wait(`${replicas - wanted} excess replicas still running`);
  const isByHand = updateStrategy?.type === 'OnDelete';
  const updated = isByHand ? 0 : wanted - (updateStrategy?.rollingUpdate?.partition ?? 0);
  if (updatedReplicas < updated) return wait(`${updatedReplicas} of ${updated} replicas updated`);
  return { state: 'Current' };
}
