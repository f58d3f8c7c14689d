import { expect, test } from 'vitest';
import { planSummary } from '../../infra/cli/plan/plan-table.ts';

test('the summary of a plan in which a resource is only invalid says that nothing is written', () => {
  const preview = {
    resources: [
      {
        kind: 'Website',
        resource: 'websites.kubecon.my.domain',
        namespace: 'default',
        name: 'shop',
        uid: 'u',
        generation: 1,
        resourceVersion: '1',
        state: 'invalid',
        message: 'oops',
        actions: [],
        events: [],
        commit: [],
      },
    ],
    total: 2,
    idle: { suspended: 0, deleting: 0 },
    pruning: 'allowed',
    incomplete: [],
    requests: { taken: 3, toPerform: 0 },
  } as const;
  expect(planSummary(preview)).toEqual([
    'Nothing to write; 1 of 2 resources.',
    '3 requests to plan, 0 more to apply.',
  ]);
});
