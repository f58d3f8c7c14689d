import { configMap } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(configMap, {
  body: { data: { a: '1', 'b.conf': 'x\n' } },
  edit: { patch: { data: { a: '2' } }, path: 'data.a' },
  immutable: {
    Sealed: {
      reason: 'immutable data stays immutable',
      live: { immutable: true, data: { a: '1' } },
      wanted: { data: { a: '2' } },
      path: 'data.a',
      isRefused: true,
    },
    Open: {
      reason: 'mutable data may change',
      live: { data: { a: '1' } },
      wanted: { data: { a: '2' } },
      path: 'data.a',
      isRefused: false,
    },
  },
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
