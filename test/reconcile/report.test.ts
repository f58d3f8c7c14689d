import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import { reportOf } from '../../shared/resync/report.ts';
import type { Survey } from '../../shared/resync/survey-result.ts';
import type { Run } from '../../shared/run/run.ts';

const started = new Date();
const run = { clients: { now: () => started }, cluster: { traffic: {} } } as unknown as Run;
const nothing = { suspended: 0, deleting: 0 };
const found = {
  work: [],
  unkept: [],
  resources: 1_000,
  namespaces: new Map(),
  uncountable: new Set<string>(),
  idle: nothing,
  incomplete: [],
  notServed: [],
};

/** Builds results of resources with failures. */
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
    summary: undefined,
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
    pruning: { text: 'allowed' },
    begun: started.getTime(),
  };
  const { failures, moreFailures, outcomes } = reportOf(run, ingredients);
  return { failures, moreFailures, outcomes };
};

describe('the failures in a report', () => {
  it.each([
    { reason: 'a few failures are all listed', given: [3, 2], listed: 6 },
    { reason: 'at most ten failures of a resource are listed', given: [2, 5_000], listed: 20 },
    { reason: 'at most two hundred failures are listed in total', given: [900, 3], listed: 200 },
  ] as const)('C-11 $reason, and the others are counted', ({ given, listed }) => {
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
    const messageOf = (length: number) => failuresOf(1, 1, 'x'.repeat(length)).failures[0]?.message;
    expect(messageOf(100_000)).toBe(`${'x'.repeat(1_023)}…`);
    expect(messageOf(1_024)).toBe('x'.repeat(1_024));
  });

  it('name the child and the reason if known', () => {
    const [result] = results(1, 0);
    const child = { apiVersion: 'v1', kind: 'Service', name: 's' };
    const others = (['created', 'updated', 'deleted', 'unchanged', 'skipped'] as const).map(
      (result) => ({ child, result, reason: 'x', message: 'x' }),
    );
    const outcomes = [
      ...others,
      { child, result: 'failed' as const, reason: 'Forbidden', message: 'no permission' },
      { child, result: 'blocked' as const },
    ];
    const report = reportOf(run, {
      found,
      undone: [],
      pruning: { text: 'allowed' },
      begun: started.getTime(),
      results: [{ ...result!, outcomes, error: 'not finished' }],
    });
    const { key } = result!;
    expect(report.failures).toEqual([
      { key, reason: 'Forbidden', message: 'no permission' },
      { key, reason: 'Failed', message: '' },
      { key, reason: 'NotFinished', message: 'not finished' },
    ]);
    expect(report.moreFailures).toBe(0);
  });

  it('include resources that did not fit into memory', () => {
    const error = 'no memory';
    const unkept = [{ key: 'foos.example.com a/x', namespace: 'a', error }];
    const { failures, unkept: count } = reportOf(run, {
      found: { ...found, unkept },
      results: [],
      undone: [],
      pruning: { text: 'allowed' },
      begun: started.getTime(),
    });
    expect(failures).toEqual([
      { key: 'foos.example.com a/x', reason: 'NotFinished', message: error },
    ]);
    expect(count).toBe(1);
  });
});

describe('the report of a run', () => {
  const outcome = (result: Outcome['result']) => ({
    child: { apiVersion: 'v1', kind: 'Service', name: result },
    result,
  });
  const [first, second] = results(2, 0);

  it('counts writes of children by origin, including those of earlier passes', () => {
    const of = (result: Outcome['result'], origin?: Outcome['origin']) => ({
      ...outcome(result),
      ...present({ origin }),
    });
    const { origins } = reportOf(run, {
      found,
      undone: [],
      pruning: { text: 'allowed' },
      begun: started.getTime(),
      results: [
        { ...first!, outcomes: [of('updated', 'code'), of('failed', 'edit')] },
        { ...first!, outcomes: [of('deleted', 'code'), of('created', 'edit')] },
        { ...second!, outcomes: [of('updated', 'drift'), of('updated')] },
      ],
    });
    expect(origins).toEqual({ edit: 1, drift: 1, reference: 0, code: 2 });
  });

  it('counts resources and outcomes', () => {
    const work = Array.from({ length: 3 }, () => ({})) as unknown as Survey['work'];
    const incomplete = [{ kind: 'foos.example.com', error: 'no' }];
    const unkept = [{ key: 'k', namespace: 'a', error: 'no' }];
    const end = new Date(started.getTime() + 1_500);
    const traffic = { list: { requests: 4, bytes: 1 } };
    const report = reportOf(
      { clients: { now: () => end }, cluster: { traffic } } as unknown as Run,
      {
        found: { ...found, work, incomplete, unkept },
        undone: ['foos.example.com a/z'],
        pruning: { text: 'withheld' },
        begun: started.getTime(),
        results: [
          { ...first!, outcomes: [outcome('created'), outcome('skipped')], statusWritten: true },
          { ...second!, outcomes: [outcome('deleted'), outcome('blocked'), outcome('unchanged')] },
        ],
      },
    );
    expect(report).toMatchObject({
      durationMs: 1_500,
      resources: { total: 1_000, unchanged: 1_000 - 3 - 1, reconciled: 2 },
      outcomes: { created: 1, updated: 0, deleted: 1, skipped: 1, failed: 0, blocked: 1 },
      statusWrites: 1,
      requests: traffic,
      pruning: 'withheld',
      unkept: 1,
      incomplete,
      undone: ['foos.example.com a/z'],
    });
    expect(Object.keys(report.outcomes)).not.toContain('unchanged');
  });

  it('counts only the writes in earlier results of a resource', () => {
    const failed = { ...first!, outcomes: [outcome('failed'), outcome('updated')] };
    const last = { ...first!, outcomes: [outcome('skipped')] };
    const report = reportOf(run, {
      found,
      undone: [],
      pruning: { text: 'allowed' },
      begun: started.getTime(),
      results: [failed, failed, { ...last, statusWritten: true }],
    });
    expect(report.outcomes).toMatchObject({ failed: 0, updated: 2, skipped: 1 });
    expect(report.resources.reconciled).toBe(1);
    expect(report.failures).toEqual([]);
    expect(report.statusWrites).toBe(1);
  });
});
