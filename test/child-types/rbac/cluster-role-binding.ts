import { clusterRoleBinding } from '../../../index.ts';
import { casesOf } from '../cases.ts';

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'garden' };

export const cases = casesOf(clusterRoleBinding, {
  body: { roleRef, subjects: [{ kind: 'User', name: 'jane' }] },
  edit: { patch: { subjects: [] }, path: 'subjects' },
  fixed: { roleRef: { ...roleRef, name: 'other' } },
  impact: { created: [], deleted: ['unknown'] },
});
