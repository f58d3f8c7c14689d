import { type JsonObject, numberAt, objectsAt } from '../api-server/json/value.ts';
import { timestamp } from '../api-server/objects/object.ts';
import { condition, type WantedCondition } from './conditions.ts';

/** Limits a number of replicas to the bounds of an autoscaler. */
export function bounded(spec: JsonObject, replicas: number): number {
  const least = Math.max(numberAt(spec, 'minReplicas') ?? 1, replicas);
  return Math.min(numberAt(spec, 'maxReplicas') ?? replicas, least);
}

/** Computes an autoscaler's status from its target. */
export function autoscalerStatus(
  before: JsonObject,
  { current, desired }: { readonly current: number; readonly desired: number },
  now: Date,
): JsonObject {
  const time = timestamp(now);
  const scaled = current !== desired;
  const lastScaleTime = scaled ? time : before.lastScaleTime;
  return {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: current,
    desiredReplicas: desired,
    currentMetrics: null,
    conditions: [
      condition(objectsAt(before, 'conditions'), scaled ? rescaled(desired) : readyCondition, {
        now: time,
      }),
    ],
  };
}

const readyCondition: WantedCondition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

function rescaled(replicas: number): WantedCondition {
  return {
    type: 'AbleToScale',
    status: 'True',
    reason: 'SucceededRescale',
    message: `the HPA controller was able to update the target scale to ${replicas}`,
  };
}
