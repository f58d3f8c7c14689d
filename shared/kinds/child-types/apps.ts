import { present, textAt, valueAt } from '../../json.ts';
import type { KubeObject } from '../../kubernetes.ts';
import { childType } from '../child-type.ts';
import { type ChildChange, type Impact, impactOfWorkload, lowers } from '../impact.ts';
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
import { imagesIn, numbersIn, shortTextAt } from './facts.ts';

const api = { group: 'apps', version: 'v1' };

const replicaFacts = (live: KubeObject) => ({
  ...numbersIn(live, 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'),
  images: imagesIn(live.spec),
});

export const deployment = childType<DeploymentBody>()('Deployment', 'deployments', {
  ...api,
  readiness: onceObserved(deploymentReadiness),
  facts: replicaFacts,
  impact: impactOfWorkload('strategy'),
  scale: true,
});

/** As in kstatus, except that a paused Deployment can be ready. The message says why pods are refused. */
function deploymentReadiness(live: KubeObject): Readiness {
  const progressing = conditionOf(live, 'Progressing');
  const reason = 'ProgressDeadlineExceeded';
  const refusal = conditionOf(live, 'ReplicaFailure');
  const cause = refusal?.isTrue && refusal.message ? ` (${refusal.message})` : '';
  if (progressing?.reason === reason)
    return failed(reason, `${progressing.message ?? 'progress deadline exceeded'}${cause}`);
  const desired = numberAt(live, 'spec.replicas', 1);
  const { replicas, updatedReplicas: updated, availableReplicas: available } = replicaFacts(live);
  const paused = valueAt(live.spec, 'paused') === true ? ' while spec.paused is true' : '';
  const why = `${paused}${cause}`;
  if (updated < desired) return inProgress(`${updated} of ${desired} replicas updated${why}`);
  if (replicas > updated)
    return inProgress(`${replicas - updated} old replicas still running${why}`);
  if (replicas > desired) return inProgress(`${replicas - desired} excess replicas still running`);
  if (available < desired) return inProgress(`${available} of ${desired} replicas available`);
  return current;
}

const claimPolicy = 'persistentVolumeClaimRetentionPolicy';

const statefulSetFacts = (live: KubeObject) => ({
  ...replicaFacts(live),
  ...present({
    whenDeleted: shortTextAt(live.spec, claimPolicy, 'whenDeleted'),
    whenScaled: shortTextAt(live.spec, claimPolicy, 'whenScaled'),
  }),
});

export const statefulSet = childType<StatefulSetBody>()('StatefulSet', 'statefulsets', {
  ...api,
  readiness: onceObserved(statefulSetReadiness),
  facts: statefulSetFacts,
  impact: impactOfStatefulSet,
  scale: true,
});

const impactOfPods = impactOfWorkload('updateStrategy');

/** Adds `data-loss` if the change may delete volume claims, which stay by default. */
function impactOfStatefulSet(change: ChildChange): readonly Impact[] {
  const { verb, fields, facts } = change;
  const deletesClaims =
    (facts?.whenDeleted === 'Delete' && verb === 'delete') ||
    (facts?.whenScaled === 'Delete' && lowers(fields, 'spec.replicas', 1)) ||
    fields.some(
      ({ path, to }) =>
        path.startsWith(`spec.${claimPolicy}`) && JSON.stringify(to)?.includes('Delete'),
    );
  return [...(deletesClaims ? ['data-loss' as const] : []), ...impactOfPods(change)];
}

/** As in kstatus, except that with the strategy OnDelete, pods must exist and be ready. */
function statefulSetReadiness(live: KubeObject): Readiness {
  const desired = numberAt(live, 'spec.replicas', 1);
  const { replicas, readyReplicas: ready, updatedReplicas: updated } = replicaFacts(live);
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

export const daemonSet = childType<DaemonSetBody>()('DaemonSet', 'daemonsets', {
  ...api,
  readiness: onceObserved(daemonSetReadiness),
  facts: daemonFacts,
  impact: impactOfPods,
});

function daemonFacts(live: KubeObject) {
  const counts = numbersIn(
    live,
    'desiredNumberScheduled',
    'currentNumberScheduled',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberReady',
  );
  return { ...counts, images: imagesIn(live.spec) };
}

/** As in kstatus, except that with the strategy OnDelete, pods need not be updated. */
function daemonSetReadiness(live: KubeObject): Readiness {
  const facts = daemonFacts(live);
  const stages = [
    [facts.currentNumberScheduled, 'created'],
    ...(isUpdatedByHand(live) ? [] : [[facts.updatedNumberScheduled, 'updated'] as const]),
    [facts.numberAvailable, 'available'],
    [facts.numberReady, 'ready'],
  ] as const;
  const desired = facts.desiredNumberScheduled;
  const unmet = stages.find(([reached]) => reached < desired);
  return unmet === undefined ? current : inProgress(`${unmet[0]} of ${desired} pods ${unmet[1]}`);
}
