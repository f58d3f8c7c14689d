import { textAt, valueAt } from '../../json.ts';
import type { KubeObject } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import { type ChildChange, type Impact, impactOfWorkload } from '../impact.ts';
import {
  conditionOf,
  current,
  failed,
  inProgress,
  numberAt,
  onceObserved,
  type Readiness,
} from '../readiness.ts';
import type { DaemonSetBody, DeploymentBody, StatefulSetBody } from './api-types.ts';
import { numbersIn } from './facts.ts';

const version = { group: 'apps', version: 'v1' };

type ReplicaFacts = ReturnType<typeof replicaFacts>;

const replicaFacts = (live: KubeObject) =>
  numbersIn(live, 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas');

export const deployment: ChildType<DeploymentBody, object, ReplicaFacts> = {
  ...version,
  kind: 'Deployment',
  plural: 'deployments',
  readiness: onceObserved(deploymentReadiness),
  facts: replicaFacts,
  impact: impactOfWorkload('strategy'),
  scale: true,
};

/** Follows kstatus: observed, within the deadline, all pods updated and available, no old pods running. */
function deploymentReadiness(live: KubeObject): Readiness {
  const progressing = conditionOf(live, 'Progressing');
  const reason = 'ProgressDeadlineExceeded';
  if (progressing?.reason === reason)
    return failed(reason, progressing.message ?? 'progress deadline exceeded');
  const desired = numberAt(live, 'spec.replicas', 1);
  const replicas = numberAt(live, 'status.replicas');
  const updated = numberAt(live, 'status.updatedReplicas');
  const available = numberAt(live, 'status.availableReplicas');
  const why = valueAt(live.spec, 'paused') === true ? ' while spec.paused is true' : '';
  if (updated < desired) return inProgress(`${updated} of ${desired} replicas updated${why}`);
  if (replicas > updated)
    return inProgress(`${replicas - updated} old replicas still running${why}`);
  if (replicas > desired) return inProgress(`${replicas - desired} excess replicas still running`);
  if (available < desired) return inProgress(`${available} of ${desired} replicas available`);
  return current;
}

export const statefulSet: ChildType<StatefulSetBody, object, ReplicaFacts> = {
  ...version,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  readiness: onceObserved(statefulSetReadiness),
  facts: replicaFacts,
  impact: impactOfStatefulSet,
  scale: true,
};

const impactOfPods = impactOfWorkload('updateStrategy');

/** Adds `data-loss` if the change makes the StatefulSet delete its volume claims, which it keeps by default. */
function impactOfStatefulSet(change: ChildChange): readonly Impact[] {
  const deletesClaims = change.fields.some(
    ({ path, to }) =>
      path.startsWith('spec.persistentVolumeClaimRetentionPolicy') &&
      JSON.stringify(to)?.includes('Delete'),
  );
  return [...(deletesClaims ? ['data-loss' as const] : []), ...impactOfPods(change)];
}

/**
 * Follows kstatus: the generation is observed, exactly the desired pods exist, all are ready, and those from
 * `partition` up are updated.
 *
 * Caveats: with the strategy OnDelete, pods need not be updated, but must exist and be ready, unlike in kstatus. A
 * StatefulSet never reports failure.
 */
function statefulSetReadiness(live: KubeObject): Readiness {
  const desired = numberAt(live, 'spec.replicas', 1);
  const replicas = numberAt(live, 'status.replicas');
  const ready = numberAt(live, 'status.readyReplicas');
  const updated = numberAt(live, 'status.updatedReplicas');
  if (replicas < desired) return inProgress(`${replicas} of ${desired} replicas created`);
  if (ready < desired) return inProgress(`${ready} of ${desired} replicas ready`);
  if (replicas > desired) return inProgress(`${replicas - desired} excess replicas still running`);
  const heldBack = numberAt(live, 'spec.updateStrategy.rollingUpdate.partition');
  const toUpdate = isUpdatedByHand(live) ? 0 : desired - heldBack;
  if (updated < toUpdate) return inProgress(`${updated} of ${toUpdate} replicas updated`);
  return current;
}

const isUpdatedByHand = ({ spec }: KubeObject): boolean =>
  textAt(spec, 'updateStrategy', 'type') === 'OnDelete';

export const daemonSet: ChildType<DaemonSetBody, object, ReturnType<typeof daemonFacts>> = {
  ...version,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  readiness: onceObserved(daemonSetReadiness),
  facts: daemonFacts,
  impact: impactOfWorkload('updateStrategy'),
};

function daemonFacts(live: KubeObject) {
  return numbersIn(
    live,
    'desiredNumberScheduled',
    'currentNumberScheduled',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberReady',
  );
}

/** Follows kstatus: every node that should run a pod has one, updated, available and ready. */
function daemonSetReadiness(live: KubeObject): Readiness {
  const desired = numberAt(live, 'status.desiredNumberScheduled');
  const stages = [
    ['currentNumberScheduled', 'created'],
    ...(isUpdatedByHand(live) ? [] : [['updatedNumberScheduled', 'updated']]),
    ['numberAvailable', 'available'],
    ['numberReady', 'ready'],
  ];
  for (const [field, done] of stages) {
    const reached = numberAt(live, `status.${field}`);
    if (reached < desired) return inProgress(`${reached} of ${desired} pods ${done}`);
  }
  return current;
}
