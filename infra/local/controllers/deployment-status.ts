import { jsonText } from '../api-server/json/text.ts';
import { type JsonObject, objectAt, objectsAt } from '../api-server/json/value.ts';
import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import type { KubeObject } from '../api-server/objects/object.ts';
import { condition, type WantedCondition } from './conditions.ts';
import { type Pods, podCount } from './pods.ts';
import { hashOf } from './template-hash.ts';

const revisionAnnotation = 'deployment.kubernetes.io/revision';

/** Returns the revision in a Deployment's annotation; default: 1. */
export function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 1);
}

/** The state of a Deployment's pods; `ready` counts pods of the current template. */
export interface Observed {
  readonly pods: Pods;
  readonly ready: number;
  readonly now: string;
}

/** Returns the Deployment with the status of its pods; undefined if the status is up to date. */
export function withStatus(deployment: KubeObject, observed: Observed): KubeObject | undefined {
  const before = objectAt(deployment, 'status');
  const status = statusOf(deployment, observed);
  const revision = String(observed.pods.revision);
  const { metadata } = deployment;
  const same =
    isSemanticallyEqual(status, before) && metadata.annotations?.[revisionAnnotation] === revision;
  if (same) return undefined;
  const annotations = { ...metadata.annotations, [revisionAnnotation]: revision };
  return { ...deployment, metadata: { ...metadata, annotations }, status };
}

function statusOf(deployment: KubeObject, observed: Observed): JsonObject {
  const { pods, ready } = observed;
  const wanted = podCount(pods);
  // The pods of a paused Deployment keep its former template.
  const isUpdated = jsonText(objectAt(deployment, 'spec').template) === pods.template;
  return {
    observedGeneration: deployment.metadata.generation,
    ...withoutZeros({
      replicas: int32(wanted + pods.old),
      updatedReplicas: isUpdated ? wanted : 0,
      readyReplicas: int32(ready + pods.old),
      availableReplicas: int32(ready + pods.old),
      unavailableReplicas: wanted - ready,
    }),
    terminatingReplicas: 0,
    conditions: conditionsOf(deployment, observed),
  };
}

// The pods of two templates together may exceed the field's range.
function int32(count: number): number {
  return Math.min(count, 2 ** 31 - 1);
}

// Omits zeros, as Go's encoder does.
function withoutZeros(counts: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function conditionsOf(deployment: KubeObject, { pods, ready, now }: Observed): JsonObject[] {
  const old = objectsAt(objectAt(deployment, 'status'), 'conditions');
  const wanted = podCount(pods);
  const available = ready + pods.old >= Math.ceil(wanted * 0.75);
  const name = `${deployment.metadata.name}-${hashOf(pods.template)}`;
  const progress = progressOf({
    paused: objectAt(deployment, 'spec').paused === true,
    complete: ready === wanted && pods.old === 0,
    replicaSet: `ReplicaSet ${JSON.stringify(name)}`,
  });
  const time = { now, updateTime: true };
  const others = old.filter(({ type }) => type !== 'Available' && type !== 'Progressing');
  return [
    condition(old, available ? availableCondition : unavailableCondition, time),
    condition(old, progress, time),
    ...others,
  ];
}

const availableCondition: WantedCondition = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const unavailableCondition: WantedCondition = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

function progressOf({
  paused,
  complete,
  replicaSet,
}: {
  readonly paused: boolean;
  readonly complete: boolean;
  readonly replicaSet: string;
}): WantedCondition {
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
}
