import { clusterRole } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(clusterRole, {
  body: { rules: [{ apiGroups: [''], resources: ['events'], verbs: ['list'] }] },
  edit: { patch: { rules: [] }, path: 'rules' },
  impact: { created: [], deleted: ['unknown'] },
});
