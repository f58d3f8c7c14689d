import { secret } from '../../../index.ts';
import { databaseSecret } from '../../support/children-of-database.ts';
import { casesOf, current } from '../cases.ts';

export const cases = casesOf(secret, {
  body: { type: 'Opaque', data: { a: 'MQ==' } },
  edit: { patch: { data: { a: 'Mg==' } }, path: 'data.a' },
  readiness: {
    Exists: { reason: 'it exists or not', live: databaseSecret(), want: current },
  },
  fixed: { type: 'example.org/other' },
  immutable: {
    Sealed: {
      reason: 'once true it stays',
      live: { immutable: true },
      wanted: { immutable: false },
      path: 'immutable',
      isRefused: true,
    },
    ToSeal: {
      reason: 'it may become true',
      live: { immutable: false },
      wanted: { immutable: true },
      path: 'immutable',
      isRefused: false,
    },
  },
  alsoRefused: ['data'],
  impact: {
    created: [],
    deleted: ['data-loss'],
    changes: {
      'a value': {
        reason: 'pods follow by the digest in their template',
        fields: { 'data.a': ['(secret)', '(secret changed)'] },
        want: [],
      },
    },
  },
});
