import { describe, expect, it } from 'vitest';
import { isOwnCondition, type NewCondition } from '../../shared/kinds/condition-types.ts';
import {
  type Condition,
  type ConditionSummary,
  conditionsOf,
  suspended,
  withTimes,
} from '../../shared/plan/observed/conditions.ts';
import { casesOf } from '../support/cases.ts';

const ready: NewCondition = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: 'all children are up to date and ready',
};
const nodePortTaken = { reason: 'NodePortTaken', message: 'node port 31000 is held' };

const verdicts: Record<
  string,
  { reason: string; given: ConditionSummary; want: readonly NewCondition[] }
> = {
  'C-8 Ready': { reason: 'Ready is the only condition', given: { state: 'Ready' }, want: [ready] },
  'C-8 Reconciling': {
    reason: 'Reconciling stands next to Ready only while it is true',
    given: { state: 'Reconciling', ...nodePortTaken },
    want: [
      { type: 'Ready', status: 'False', ...nodePortTaken },
      { type: 'Reconciling', status: 'True', ...nodePortTaken },
    ],
  },
  'C-8 Stalled': {
    reason: 'Stalled and Reconciling never stand together',
    given: { state: 'Stalled', ...nodePortTaken },
    want: [
      { type: 'Ready', status: 'False', ...nodePortTaken },
      { type: 'Stalled', status: 'True', ...nodePortTaken },
    ],
  },
};

describe('conditionsOf', () => {
  it.each(casesOf(verdicts))('%s', (_, { given, want }) => {
    expect(conditionsOf(given)).toEqual(want);
  });
});

const now = '2026-11-21T12:00:00Z';
const before = '2026-11-21T10:00:00Z';
const was = (over: Partial<Condition>): Condition => ({
  ...ready,
  observedGeneration: 1,
  lastTransitionTime: before,
  ...over,
});

interface Case {
  readonly reason: string;
  readonly previous: readonly Condition[];
  readonly want: string;
}

const times: Record<string, Case> = {
  'C-8 First': { reason: 'a new condition gets the current time', previous: [], want: now },
  'C-8 SameStatus': {
    reason: 'an unchanged condition keeps its time',
    previous: [was({})],
    want: before,
  },
  'C-8 OtherWords': {
    reason: 'a new reason or message keeps the time',
    previous: [was({ reason: 'Old', message: 'old', observedGeneration: 0 })],
    want: before,
  },
  'C-8 OtherStatus': {
    reason: 'a new status gets the current time',
    previous: [was({ status: 'False' })],
    want: now,
  },
  'C-8 OtherType': {
    reason: 'a change of another condition keeps the time',
    previous: [was({ type: 'Suspended' })],
    want: now,
  },
};

describe('withTimes', () => {
  it.each(casesOf(times))('%s', (_, { previous, want }) => {
    expect(withTimes([ready], previous, { generation: 2, now })).toEqual([
      { ...ready, observedGeneration: 2, lastTransitionTime: want },
    ]);
  });
});

describe('the message of a condition', () => {
  it('C-8 is cut to the maximum length of the API', () => {
    const [condition] = withTimes([{ ...ready, message: 'x'.repeat(40_000) }], [], {
      generation: 1,
      now,
    });
    expect(condition?.message).toHaveLength(32_768);
  });
});

describe('isOwnCondition', () => {
  const types = { Ready: true, Reconciling: true, Stalled: true, Suspended: true, Synced: false };
  it.each(Object.entries(types))('C-8 %s', (type, want) => {
    expect(isOwnCondition({ conditions: [] }, { type })).toBe(want);
    expect(isOwnCondition({ conditions: ['Synced'] }, { type })).toBe(true);
  });

  it('C-14 tells how to resume a suspended resource', () => {
    expect(suspended.message).toContain('serverless-reconciler/suspend');
  });
});
