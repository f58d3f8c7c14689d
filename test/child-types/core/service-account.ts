import { serviceAccount } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(serviceAccount, {
  body: { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'registry' }] },
  edit: {
    patch: { automountServiceAccountToken: true },
    path: 'automountServiceAccountToken',
  },
  impact: { created: [], deleted: ['unknown'] },
});
