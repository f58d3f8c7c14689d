import type { KubeObject } from '../kubernetes.ts';
import type { Readiness } from './readiness.ts';

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

/** As kstatus: observed, progressing, then new pods, no old pods, pods that answer. */
export function deploymentReadiness(live: KubeObject): Readiness {
  const { replicas: wanted = 1 } = live.spec as { readonly replicas?: number };
  const status = (live.status ?? {}) as DeploymentStatus;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const wait = (message: string): Readiness => ({ state: 'InProgress', message });
  if ((status.observedGeneration ?? 0) < (live.metadata.generation ?? 0)) {
    return wait('the Deployment controller has not seen the newest change yet');
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
  if (replicas > wanted) return wait(`${replicas - wanted} replicas too many still running`);
  if (availableReplicas < wanted)
    return wait(`${availableReplicas} of ${wanted} replicas available`);
  return { state: 'Current' };
}
