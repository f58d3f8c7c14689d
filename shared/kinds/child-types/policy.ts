import type { ChildType } from '../child-type.ts';
import { harmless } from '../impact.ts';
import { current, notObserved } from '../readiness.ts';
import type { PodDisruptionBudgetBody } from './api-types.ts';

export const podDisruptionBudget: ChildType<PodDisruptionBudgetBody> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  impact: harmless,
  readiness: (live) => notObserved(live) ?? current,
};
