import { roleBinding } from '../../../index.ts';
import { casesOf } from '../cases.ts';

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'garden' };

export const cases = casesOf(roleBinding, {
  body: {
    roleRef,
    subjects: [
      { kind: 'ServiceAccount', name: 'garden', namespace: 'default' },
      { kind: 'User', name: 'jane' },
    ],
  },
  edit: { patch: { subjects: [] }, path: 'subjects' },
  fixed: { roleRef: { ...roleRef, name: 'other' } },
  impact: { created: [], deleted: ['unknown'] },
});
