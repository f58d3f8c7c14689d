import type { KubeObject } from '../kubernetes.ts';
import type { Readiness } from './readiness.ts';

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
 * As kstatus: observed, then all pods, all ready, none too many, as many new ones as are to be.
 *
 * Caveats: unlike kstatus, under OnDelete pods still have to be there and ready; only their update
 * is not waited for. A StatefulSet never says that it has failed.
 */
export function statefulSetReadiness(live: KubeObject): Readiness {
  const { replicas: wanted = 1, updateStrategy } = live.spec as StatefulSetSpec;
  const status = (live.status ?? {}) as StatefulSetStatus;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status;
  const wait = (message: string): Readiness => ({ state: 'InProgress', message });
  if ((status.observedGeneration ?? 0) < (live.metadata.generation ?? 0))
    return wait('the StatefulSet controller has not seen the newest change yet');
  if (replicas < wanted) return wait(`${replicas} of ${wanted} replicas created`);
  if (readyReplicas < wanted) return wait(`${readyReplicas} of ${wanted} replicas ready`);
  if (replicas > wanted) return wait(`${replicas - wanted} replicas too many still running`);
  const isByHand = updateStrategy?.type === 'OnDelete';
  const updated = isByHand ? 0 : wanted - (updateStrategy?.rollingUpdate?.partition ?? 0);
  if (updatedReplicas < updated) return wait(`${updatedReplicas} of ${updated} replicas updated`);
  return { state: 'Current' };
}
