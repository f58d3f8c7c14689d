import type { KubeObject } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import { type ChildChange, type Impact, lowers } from '../impact.ts';
import type { HorizontalPodAutoscalerBody } from './api-types.ts';
import { numbersIn } from './facts.ts';

const autoscalerFacts = (live: KubeObject) => numbersIn(live, 'currentReplicas', 'desiredReplicas');

export const horizontalPodAutoscaler: ChildType<
  HorizontalPodAutoscalerBody,
  object,
  ReturnType<typeof autoscalerFacts>
> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  facts: autoscalerFacts,
  impact: impactOfAutoscaler,
};

function impactOfAutoscaler({ verb, fields }: ChildChange): readonly Impact[] {
  const isNarrowed = lowers(fields, 'spec.minReplicas', 1) || lowers(fields, 'spec.maxReplicas');
  return verb === 'delete' || isNarrowed ? ['reduce'] : [];
}
