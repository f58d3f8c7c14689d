import { describe, expect, it } from 'vitest';
import { folded } from '../../infra/dashboard/page/state/folded-runs.ts';
import type { RunChange, RunView } from '../../infra/dashboard/views.ts';
import { casesOf } from '../support/cases.ts';

const a = { of: 'foos.example.com default/a', text: 'service/a failed: port taken' };
const b = { of: 'foos.example.com default/b', text: 'service/b failed: port taken' };

const resync = (at: number, changes: readonly RunChange[] = [], writes = 0): RunView => ({
  at,
  trigger: 'resync',
  changes,
  writes,
  ...(changes.length === 0
    ? {}
    : { error: `${changes.length} failed: see the state of each resource` }),
});

interface Case {
  readonly reason: string;
  readonly runs: readonly RunView[];
  /** Number of runs that each line stands for, in addition to the newest. */
  readonly want: readonly number[];
}

const cases: Record<string, Case> = {
  Quiet: {
    reason: 'runs without changes are folded',
    runs: [resync(3), resync(2), resync(1)],
    want: [2],
  },
  SameProblems: {
    reason: 'each resync reports the same problems, in any order',
    runs: [resync(3, [a, b]), resync(2, [b, a]), resync(1, [a, b])],
    want: [2],
  },
  OtherProblems: {
    reason: 'a problem was solved in between',
    runs: [resync(2, [a]), resync(1, [a, b])],
    want: [0, 0],
  },
  OtherBlocks: {
    reason: 'more children are blocked than before',
    runs: [
      { ...resync(2), blocked: 2 },
      { ...resync(1), blocked: 1 },
    ],
    want: [0, 0],
  },
  Wrote: {
    reason: 'a run that wrote is never folded, even if its report is the same',
    runs: [resync(2, [a], 1), resync(1, [a], 1)],
    want: [0, 0],
  },
  OtherTrigger: {
    reason: 'runs with different triggers are not folded together',
    runs: [resync(2), { ...resync(1), trigger: 'audit' }],
    want: [0, 0],
  },
};

describe('the runs on the page', () => {
  it.each(casesOf(cases))('%s', (_, { runs, want }) => {
    expect(folded(runs).map(({ more }) => more)).toEqual(want);
  });
});
