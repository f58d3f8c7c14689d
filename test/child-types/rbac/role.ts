import { role } from '../../../index.ts';
import { casesOf } from '../cases.ts';
import { rules } from '../samples.ts';

export const cases = casesOf(role, {
  body: { rules },
  edit: { patch: { rules: [{ ...rules[0], verbs: ['get', 'list'] }] }, path: 'rules' },
  impact: {
    created: [],
    deleted: ['unknown'],
    changes: {
      'its rules': {
        reason: 'it is unknown who depends on them',
        fields: { rules: [[], [{}]] },
        want: ['unknown'],
      },
    },
  },
});
