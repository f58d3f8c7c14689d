import { describe, expect, it } from 'vitest';
import { reportOf } from '../../shared/reconcile/report.ts';
import type { Run } from '../../shared/reconcile/run.ts';

const started = new Date();
const run = { now: () => started, cluster: { traffic: {} } } as unknown as Run;
const nothing = { suspended: 0, deleting: 0 };
const found = {
  work: [],
  unkept: [],
  resources: 1_000,
  namespaces: new Map(),
  idle: nothing,
  incomplete: [],
};

/** So many resources with so many failures each. */
const results = (resources: number, failures: number, message = 'no', namespace = 'default') =>
  Array.from({ length: resources }, (_, at) => ({
    key: `foos.example.com ${namespace}/${at}`,
    namespace,
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

const failuresOf = (...given: Parameters<typeof results>) => failuresIn(results(...given));

const failuresIn = (given: ReturnType<typeof results>) => {
  const ingredients = {
    found,
    results: given,
    undone: [],
    pruning: 'allowed',
    started,
  };
  const { failures, moreFailures, outcomes } = reportOf(run, ingredients);
  return { failures, moreFailures, outcomes };
};

describe('the failures in a report', () => {
  it.each([
    { reason: 'a few are all listed', given: [3, 2], listed: 6 },
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

  it('C-11 of one namespace do not hide those of others', () => {
    const others = ['b', 'c'].flatMap((namespace) => results(1, 3, 'no', namespace));
    const { failures, moreFailures } = failuresIn([...results(900, 3, 'no', 'a'), ...others]);
    const places = failures.map(({ key }) => key.split(' ')[1]?.split('/')[0]);
    expect(places.slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(places.filter((place) => place !== 'a')).toHaveLength(6);
    expect(failures).toHaveLength(200);
    expect(moreFailures).toBe(2_706 - 200);
  });

  it('C-11 are truncated to a readable length', () => {
    const [failure] = failuresOf(1, 1, 'x'.repeat(100_000)).failures;
    expect(failure?.message).toHaveLength(1_024);
  });
});
