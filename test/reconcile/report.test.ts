import { describe, expect, it } from 'vitest';
import { reportOf } from '../../shared/reconcile/report.ts';
import type { Run } from '../../shared/reconcile/run.ts';

const started = new Date();
const run = { now: () => started, cluster: { traffic: {} } } as unknown as Run;
const nothing = { suspended: 0, deleting: 0 };
const found = { work: [], resources: 1_000, namespaces: new Map(), idle: nothing, incomplete: [] };

/** So many resources with so many failures each. */
const results = (resources: number, failures: number, message = 'no') =>
  Array.from({ length: resources }, (_, at) => ({
    key: `foos.example.com default/${at}`,
    outcomes: Array.from({ length: failures }, (_, child) => ({
      child: { apiVersion: 'v1', kind: 'Service', name: `s-${child}` },
      result: 'failed' as const,
      reason: 'Forbidden',
      message,
    })),
    verdict: undefined,
    wrote: false,
    statusWritten: false,
    cutOff: false,
  }));

const failuresOf = (...given: Parameters<typeof results>) => {
  const ingredients = {
    found,
    results: results(...given),
    undone: [],
    pruning: 'allowed',
    started,
  };
  const { failures, moreFailures, outcomes } = reportOf(run, ingredients);
  return { failures, moreFailures, outcomes };
};

describe('the failures in a report', () => {
  it.each([
    { reason: 'few are all there', given: [3, 2], listed: 6 },
    { reason: 'ten of one resource', given: [2, 5_000], listed: 20 },
    { reason: 'two hundred in all', given: [900, 3], listed: 200 },
  ] as const)('C-11 $reason, and the rest is counted', ({ given, listed }) => {
    const [resources, each] = given;
    const { failures, moreFailures, outcomes } = failuresOf(resources, each);
    const total = resources * each;
    expect(failures).toHaveLength(listed);
    expect(moreFailures).toBe(total - listed);
    expect(outcomes.failed).toBe(total);
  });

  it('C-11 say no more than can be read', () => {
    const [failure] = failuresOf(1, 1, 'x'.repeat(100_000)).failures;
    expect(failure?.message).toHaveLength(1_024);
  });
});
