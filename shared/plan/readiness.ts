import type { JsonObject, KubeObject } from '../kubernetes.ts';

/** Whether a live child does what its spec says, in kstatus' terms. */
export type Readiness =
  | { readonly state: 'Current' }
  | { readonly state: 'InProgress'; readonly message: string }
  | { readonly state: 'Failed'; readonly reason: string; readonly message: string };

const current: Readiness = { state: 'Current' };

/** Rules of kstatus; a kind that has no rules is current as soon as it exists. */
export function readinessOf(live: KubeObject): Readiness {
  return live.kind === 'Deployment' ? deploymentReadiness(live) : current;
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

function deploymentReadiness(live: KubeObject): Readiness {
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
  return current;
}

/** The facts a kind's status may quote of a live child. */
export function factsOf(live: KubeObject): JsonObject {
  if (live.kind !== 'Deployment') return {};
  const { availableReplicas = 0 } = (live.status ?? {}) as DeploymentStatus;
  return { availableReplicas };
}
