import { secret } from '../../../index.ts';
import { databaseSecret } from '../../support/children-of-database.ts';
import { casesOf, current } from '../cases.ts';

export const cases = casesOf(secret, {
  body: { type: 'Opaque', data: { a: 'MQ==' } },
  edit: { patch: { data: { a: 'Mg==' } }, path: 'data.a' },
  readiness: {
    Exists: { reason: 'a Secret is ready once it exists', live: databaseSecret(), want: current },
  },
  fixed: { type: 'example.org/other' },
  immutable: {
    Sealed: {
      reason: 'an immutable Secret stays immutable',
      live: { immutable: true },
      wanted: { immutable: false },
      path: 'immutable',
      isRefused: true,
    },
    ToSeal: {
      reason: 'a mutable Secret may become immutable',
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
        reason: 'pods follow the digest in their template',
        fields: { 'data.a': ['(secret)', '(secret changed)'] },
        want: [],
      },
    },
  },
});
