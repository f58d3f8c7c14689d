import type { ChildType } from '../child-type.ts';
import { harmless } from '../impact.ts';
import type { HorizontalPodAutoscalerBody } from './api-types.ts';

const targets = ['containerResource', 'external', 'object', 'pods', 'resource'];

export const horizontalPodAutoscaler: ChildType<HorizontalPodAutoscalerBody> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  impact: harmless,
  quantities: [
    ...targets.flatMap((source) => [
      `spec.metrics[].${source}.target.averageValue`,
      `spec.metrics[].${source}.target.value`,
    ]),
    'spec.behavior.scaleDown.tolerance',
    'spec.behavior.scaleUp.tolerance',
  ],
};
