import { expect, test } from 'vitest';
import { changeOf, planSummary } from '../../infra/cli/plan/plan-table.ts';
import { plannedWebsite } from './planned-website.ts';

test('a child that is kept when its resource goes is said to lose its owner', () => {
  const about = { child: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }, namespace: 'b' };
  const action = { ...about, verb: 'release', differences: [], requests: [] } as const;
  expect(changeOf(action)).toEqual(['kept: loses its owner']);
});

test('the summary of a plan in which a resource is only invalid says that nothing is written', () => {
  const preview = {
    resources: [plannedWebsite({ state: 'invalid', message: 'oops' })],
    total: 2,
    idle: { suspended: 0, deleting: 0 },
    pruning: 'allowed',
    incomplete: [],
    requests: { taken: 3, toPerform: 0 },
  } as const;
  expect(planSummary(preview)).toEqual([
    'Nothing to write; 1 of 2 resources.',
    'Planning took 3 requests; applying takes 0 more.',
  ]);
});
