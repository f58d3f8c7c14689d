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
  impact: {
    created: [],
    deleted: ['reduce'],
    changes: {
      'more pods kept': {
        reason: 'fewer evictions are allowed',
        fields: { 'spec.minAvailable': ['40%', '50%'] },
        want: [],
      },
      'fewer pods kept': {
        reason: 'more pods may be evicted at a time',
        fields: { 'spec.minAvailable': [2, 1] },
        want: ['reduce'],
      },
      'fewer pods unavailable': {
        reason: 'fewer evictions are allowed',
        fields: { 'spec.maxUnavailable': [2, 1] },
        want: [],
      },
      'more pods unavailable': {
        reason: 'more pods may be evicted at a time',
        fields: { 'spec.maxUnavailable': [1, 2] },
        want: ['reduce'],
      },
      'a percentage for a number': {
        reason: 'it depends on the number of pods',
        fields: { 'spec.minAvailable': [1, '50%'] },
        want: ['reduce'],
      },
      'a label': {
        reason: 'it protects the same pods',
        fields: { 'metadata.labels.a': ['x', 'y'] },
        want: [],
      },
    },
  },
});
