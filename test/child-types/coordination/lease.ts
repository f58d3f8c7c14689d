import { lease } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(lease, {
  body: { spec: { holderIdentity: 'garden', leaseDurationSeconds: 15 } },
  edit: { patch: { spec: { holderIdentity: 'other' } }, path: 'spec.holderIdentity' },
  impact: { created: [], deleted: ['unknown'] },
});
