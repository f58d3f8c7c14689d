import { podDisruptionBudget } from '../../../index.ts';
import { casesOf, current, inProgress, seen } from '../cases.ts';
import { selector } from '../samples.ts';

export const cases = casesOf(podDisruptionBudget, {
  body: { spec: { minAvailable: '50%', selector } },
  edit: { patch: { spec: { minAvailable: 1 } }, path: 'spec.minAvailable' },
  readiness: {
    Current: {
      reason: 'the controller has computed the allowed disruptions',
      live: { spec: {}, status: seen },
      want: current,
    },
    OldGeneration: {
      reason: 'the status is about an older generation',
      live: { spec: {}, status: { observedGeneration: 1 } },
      want: inProgress('the PodDisruptionBudget controller has not observed the latest change yet'),
    },
  },
  impact: { created: [], deleted: [] },
});
