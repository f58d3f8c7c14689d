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
