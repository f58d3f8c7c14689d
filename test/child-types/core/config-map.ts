import { configMap } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(configMap, {
  body: { data: { a: '1', 'b.conf': 'x\n' } },
  edit: { patch: { data: { a: '2' } }, path: 'data.a' },
  impact: {
    created: [],
    deleted: [],
    changes: {
      'a value': {
        reason: 'pods follow the digest in their template',
        fields: { 'data.a': ['x', 'y'] },
        want: [],
      },
    },
  },
});
