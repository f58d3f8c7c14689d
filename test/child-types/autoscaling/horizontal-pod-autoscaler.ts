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
    deleted: [],
    changes: {
      'its bounds': {
        reason: 'no pod is replaced',
        fields: { 'spec.maxReplicas': [3, 9] },
        want: [],
      },
    },
  },
});
