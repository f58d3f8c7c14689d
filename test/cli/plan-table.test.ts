import { expect, test } from 'vitest';
import { changeOf, planSummary } from '../../infra/cli/plan/plan-table.ts';
import { plannedWebsite } from './planned-website.ts';

test('a child that is kept when its resource goes is said to lose its owner', () => {
  const about = { child: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }, namespace: 'b' };
  const action = { ...about, verb: 'release', differences: [], requests: [] } as const;
  expect(changeOf(action)).toEqual(['kept: loses its owner reference']);
});

test('more than three fields that a writer has only taken over are one line', () => {
  const writer = { manager: 'operator', time: '2026-01-01T00:00:00Z' };
  const takenOver = (path: string) => ({ path, from: 1, to: 1, writer });
  const changed = { path: 'spec.e', from: 1, to: 2, writer };
  const about = { child: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }, requests: [] };
  const linesOf = (...paths: readonly string[]) =>
    changeOf({ ...about, verb: 'update', differences: [...paths.map(takenOver), changed] });
  const since = 'taken over by operator, no later than 2026-01-01T00:00:00Z';
  const change = 'spec.e 1 → 2, changed by operator, no later than 2026-01-01T00:00:00Z';
  expect(linesOf('spec.a')).toEqual([`spec.a ${since}`, change]);
  expect(linesOf('spec.a', 'spec.b', 'spec.c', 'spec.d')).toEqual([`4 fields ${since}`, change]);
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
