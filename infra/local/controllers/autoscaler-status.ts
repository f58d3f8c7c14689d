import { type JsonMap, mapsAt, numberAt } from '../api-server/objects/object.ts';
import { timestamp } from '../api-server/objects/time.ts';
import { condition, type WantedCondition } from './conditions.ts';

/** As many replicas as the bounds of an autoscaler allow. */
export const bounded = (spec: JsonMap, replicas: number): number => {
  const least = Math.max(numberAt(spec, 'minReplicas') ?? 1, replicas);
  return Math.min(numberAt(spec, 'maxReplicas') ?? replicas, least);
};

/** What an autoscaler says after it looked at its target. */
export const autoscalerStatus = (
  before: JsonMap,
  { current, desired }: { readonly current: number; readonly desired: number },
  now: Date,
): JsonMap => {
  const time = timestamp(now);
  const scaled = current !== desired;
  const lastScaleTime = scaled ? time : before.lastScaleTime;
  return {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: current,
    desiredReplicas: desired,
    currentMetrics: null,
    conditions: [
      condition(mapsAt(before, 'conditions'), scaled ? rescaled(desired) : READY, { now: time }),
    ],
  };
};

const READY: WantedCondition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

const rescaled = (replicas: number): WantedCondition => ({
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededRescale',
  message: `the HPA controller was able to update the target scale to ${replicas}`,
});
