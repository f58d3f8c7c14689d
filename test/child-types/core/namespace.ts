import { namespace } from '../../../index.ts';
import { casesOf, relabelled } from '../cases.ts';

export const cases = casesOf(namespace, {
  body: {},
  edit: relabelled,
  impact: { created: [], deleted: ['data-loss'] },
});
