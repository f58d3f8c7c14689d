import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import { type JsonMap, type KubeObject, mapAt, mapsAt } from '../api-server/objects/object.ts';
import { condition, type WantedCondition } from './conditions.ts';
import { type Pods, podCount } from './pods.ts';
import { hashOf } from './template-hash.ts';

const REVISION = 'deployment.kubernetes.io/revision';

/** The revision a Deployment says it is at; 1 where it says nothing. */
export const revisionOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations?.[REVISION] ?? 1);

/** What is seen of a Deployment's pods; `ready` counts those of the current template. */
export interface Observed {
  readonly pods: Pods;
  readonly ready: number;
  readonly now: string;
}

/** The Deployment with the status its pods give it; undefined when that is the status it has. */
export const withStatus = (deployment: KubeObject, observed: Observed): KubeObject | undefined => {
  const before = mapAt(deployment, 'status');
  const status = statusOf(deployment, observed);
  const revision = String(observed.pods.revision);
  const { metadata } = deployment;
  const same = isSemanticallyEqual(status, before) && metadata.annotations?.[REVISION] === revision;
  if (same) return undefined;
  const annotations = { ...metadata.annotations, [REVISION]: revision };
  return { ...deployment, metadata: { ...metadata, annotations }, status };
};

const statusOf = (deployment: KubeObject, observed: Observed): JsonMap => {
  const { pods, ready } = observed;
  const wanted = podCount(pods);
  return {
    observedGeneration: deployment.metadata.generation,
    ...withoutZeros({
      replicas: int32(wanted + pods.old),
      updatedReplicas: wanted,
      readyReplicas: int32(ready + pods.old),
      availableReplicas: int32(ready + pods.old),
      unavailableReplicas: wanted - ready,
    }),
    terminatingReplicas: 0,
    conditions: conditionsOf(deployment, observed),
  };
};

// Two templates' pods may together be more than the field holds.
const int32 = (count: number): number => Math.min(count, 2 ** 31 - 1);

// As Go's encoder leaves them out.
const withoutZeros = (counts: Readonly<Record<string, number>>): JsonMap =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

const conditionsOf = (deployment: KubeObject, { pods, ready, now }: Observed): JsonMap[] => {
  const old = mapsAt(mapAt(deployment, 'status'), 'conditions');
  const wanted = podCount(pods);
  const available = ready + pods.old >= Math.ceil(wanted * 0.75);
  const name = `${deployment.metadata.name}-${hashOf(pods.template)}`;
  const progress = progressOf({
    paused: mapAt(deployment, 'spec').paused === true,
    complete: ready === wanted && pods.old === 0,
    replicaSet: `ReplicaSet ${JSON.stringify(name)}`,
  });
  const time = { now, updateTime: true };
  const others = old.filter(({ type }) => type !== 'Available' && type !== 'Progressing');
  return [
    condition(old, available ? AVAILABLE : UNAVAILABLE, time),
    condition(old, progress, time),
    ...others,
  ];
};

const AVAILABLE: WantedCondition = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const UNAVAILABLE: WantedCondition = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

const progressOf = ({
  paused,
  complete,
  replicaSet,
}: {
  readonly paused: boolean;
  readonly complete: boolean;
  readonly replicaSet: string;
}): WantedCondition => {
  const type = 'Progressing';
  if (paused) {
    const message = 'Deployment is paused';
    return { type, status: 'Unknown', reason: 'DeploymentPaused', message };
  }
  if (complete) {
    const message = `${replicaSet} has successfully progressed.`;
    return { type, status: 'True', reason: 'NewReplicaSetAvailable', message };
  }
  const message = `${replicaSet} is progressing.`;
  return { type, status: 'True', reason: 'ReplicaSetUpdated', message };
};
