import { horizontalPodAutoscaler } from '../../../index.ts';
import { containerAppAutoscaler } from '../../support/children-of-container-app.ts';
import { casesOf, current } from '../cases.ts';

export const cases = casesOf(horizontalPodAutoscaler, {
  body: {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'garden' },
      maxReplicas: 1,
      metrics: [
        {
          type: 'Pods',
          pods: {
            metric: { name: 'requests' },
            target: { type: 'AverageValue', averageValue: '1000m' },
          },
        },
      ],
    },
  },
  edit: { patch: { spec: { maxReplicas: 9 } }, path: 'spec.maxReplicas' },
  readiness: {
    Exists: {
      reason: 'its metrics are not waited for',
      live: containerAppAutoscaler(),
      want: current,
    },
  },
  impact: {
    created: [],
    deleted: ['reduce'],
    changes: {
      'wider bounds': {
        reason: 'more pods may run',
        fields: { 'spec.maxReplicas': [3, 9], 'spec.minReplicas': [1, 2] },
        want: [],
      },
      'a lower maximum': {
        reason: 'pods beyond it end',
        fields: { 'spec.maxReplicas': [9, 3] },
        want: ['reduce'],
      },
      'a lower minimum': {
        reason: 'idle pods end',
        fields: { 'spec.minReplicas': [2, 1] },
        want: ['reduce'],
      },
      'no minimum': {
        reason: 'the server sets 1',
        fields: { 'spec.minReplicas': [2, undefined] },
        want: ['reduce'],
      },
    },
  },
});
