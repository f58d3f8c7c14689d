import { describe, expect, it } from 'vitest';
import type { RunView } from '../../infra/dashboard/views.ts';
import { createRunLog } from '../../infra/start/log/run-log.ts';
import { casesOf } from '../support/cases.ts';

const change = (key: string) => ({ message: 'child updated', key, child: 'Service a' });
const summary = (...reconcileRequests: readonly object[]) => ({
  message: 'resynced',
  trigger: 'audit',
  reconcileRequests,
  durationMs: 100,
  requests: 7,
  resources: { total: 2, unchanged: 1, reconciled: 1 },
  statusWrites: 1,
  failures: 0,
  outcomes: { created: 0, updated: 1, deleted: 0, skipped: 3, failed: 0, blocked: 0 },
});

const foo = 'foos.example.com default/shop';

interface Case {
  readonly reason: string;
  readonly lines: readonly (object | string)[];
  /** Resources that each run changed. */
  readonly want: readonly (readonly string[])[];
}

const cases: Record<string, Case> = {
  Quiet: { reason: 'a run without changes counts', lines: [summary({})], want: [[]] },
  Changed: {
    reason: 'changes are logged before the summary',
    lines: [change(foo), summary({ kind: 'Foo', namespace: 'default', name: 'shop' })],
    want: [[foo]],
  },
  Resync: {
    reason: 'an empty request covers every resource',
    lines: [change(foo), summary({})],
    want: [[foo]],
  },
  Overlapping: {
    reason: 'the later of two concurrent runs ends first',
    lines: [
      change('foos.example.com a/x'),
      change('foos.example.com b/y'),
      summary({ kind: 'Foo', namespace: 'b' }),
      summary({ kind: 'Foo', namespace: 'a' }),
    ],
    want: [['foos.example.com b/y'], ['foos.example.com a/x']],
  },
  OtherKind: {
    reason: 'a request of one kind covers no other kind',
    lines: [
      change('bars.example.com a/x'),
      change('foos.example.com a/x'),
      summary({ kind: 'foos.example.com' }),
      summary({ kind: 'bars.example.com', namespace: 'a', name: 'x' }),
    ],
    want: [['foos.example.com a/x'], ['bars.example.com a/x']],
  },
  ClusterScoped: {
    reason: 'a key may have no namespace',
    lines: [change('teams.example.com x'), summary({ kind: 'Team', name: 'x' })],
    want: [['teams.example.com x']],
  },
  OtherLines: {
    reason: 'lines that are not JSON or not about children are ignored',
    lines: [
      'Error: no',
      '7',
      'null',
      { message: 'events not listed', namespace: 'a' },
      summary({}),
    ],
    want: [[]],
  },
};

const runsOf = (lines: Case['lines']): readonly RunView[] => {
  const runs: RunView[] = [];
  const log = createRunLog(
    (run) => runs.push(run),
    () => 1000,
  );
  for (const line of lines) log.accept(typeof line === 'string' ? line : JSON.stringify(line));
  return runs;
};

describe('the runs in the log of the functions', () => {
  it.each(casesOf(cases))('%s', (_, { lines, want }) => {
    const found = runsOf(lines).map(({ changes }) => changes.map(({ of }) => of));
    expect(found).toEqual(want);
  });

  it('have their start, duration and failures', () => {
    const [run] = runsOf([change(foo), { ...summary({}), failures: 2 }]);
    expect(run).toEqual({
      at: 900,
      trigger: 'audit',
      durationMs: 100,
      requests: 7,
      writes: 2,
      resources: { total: 2, unchanged: 1, reconciled: 1 },
      changes: [{ of: foo, text: 'Service a updated' }],
      error: '2 failed: see the state of each resource',
    });
  });

  it('tell children that are blocked from failures', () => {
    const of = (failures: number, blocked: number) => {
      const line = summary({});
      const [run] = runsOf([{ ...line, failures, outcomes: { ...line.outcomes, blocked } }]);
      return { blocked: run?.blocked, error: run?.error };
    };
    expect(of(5, 5)).toEqual({ blocked: 5 });
    expect(of(5, 3)).toEqual({ blocked: 3, error: '2 failed: see the state of each resource' });
    expect(of(0, 0)).toEqual({});
  });
});
