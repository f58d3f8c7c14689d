import { resourceQuota } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(resourceQuota, {
  body: { spec: { hard: { 'requests.cpu': '1000m', pods: 10, 'requests.storage': '1024Gi' } } },
  edit: { patch: { spec: { hard: { pods: '20' } } }, path: 'spec.hard.pods' },
  fixed: { 'spec.scopes': ['BestEffort'] },
  impact: { created: [], deleted: [] },
});
