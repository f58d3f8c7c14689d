import { describe, expect, it } from 'vitest';
import type { ConditionSummary } from '../../shared/plan/conditions.ts';
import { allSucceeded, isWrite, type Outcome, summaryOf } from '../../shared/plan/outcome.ts';
import { websiteDeployment } from '../support/children.ts';
import { observeChild } from '../support/observe.ts';

const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'website-sample' };
const outcome = (result: Outcome['result'], over: Partial<Outcome> = {}): Outcome => ({
  child,
  result,
  ...over,
});
const blocked = outcome('blocked', { reason: 'ErrResourceExists', message: 'it exists' });
const failed = outcome('failed', { reason: 'Invalid', message: 'it is invalid' });
const transient = outcome('failed', {
  reason: 'TooManyRequests',
  message: 'try again',
  transient: true,
});
const skipped = outcome('skipped', { reason: 'ChildDeleting', message: 'it is being deleted' });

const current = observeChild(websiteDeployment());
const progressing = observeChild(websiteDeployment({ status: { updatedReplicas: 0 } }));
const broken = observeChild(
  websiteDeployment({
    status: {
      conditions: [
        { type: 'Progressing', reason: 'ProgressDeadlineExceeded', message: 'timed out' },
      ],
    },
  }),
);

interface Case {
  readonly reason: string;
  readonly outcomes: readonly Outcome[];
  readonly children?: readonly (typeof current)[];
  readonly want: ConditionSummary;
}

const cases: Record<string, Case> = {
  Ready: {
    reason: 'all in place and ready',
    outcomes: [outcome('unchanged'), outcome('updated')],
    want: { state: 'Ready' },
  },
  Nothing: {
    reason: 'a resource may want nothing',
    outcomes: [],
    children: [],
    want: { state: 'Ready' },
  },
  'C-6 Blocked': {
    reason: 'blocked comes before failed, transient and progressing',
    outcomes: [skipped, transient, blocked],
    children: [broken, progressing],
    want: { state: 'Stalled', reason: 'ErrResourceExists', message: 'it exists' },
  },
  'C-10 Permanent': {
    reason: 'a permanent failure stalls as a block does; the first names the reason',
    outcomes: [failed, blocked],
    want: { state: 'Stalled', reason: 'Invalid', message: 'it is invalid; it exists' },
  },
  Repeated: {
    reason: 'the same message once',
    outcomes: [failed, failed],
    want: { state: 'Stalled', reason: 'Invalid', message: 'it is invalid' },
  },
  Broken: {
    reason: 'a child that failed comes before a transient failure',
    outcomes: [transient],
    children: [progressing, broken],
    want: {
      state: 'Stalled',
      reason: 'ProgressDeadlineExceeded',
      message: 'Deployment website-sample: timed out',
    },
  },
  'C-10 Transient': {
    reason: 'a transient failure is no stall',
    outcomes: [transient, skipped],
    children: [progressing],
    want: {
      state: 'Reconciling',
      reason: 'TooManyRequests',
      message: 'try again; it is being deleted',
    },
  },
  'C-13 Waiting': {
    reason: 'a child being deleted',
    outcomes: [outcome('unchanged'), skipped],
    want: { state: 'Reconciling', reason: 'ChildDeleting', message: 'it is being deleted' },
  },
  Progressing: {
    reason: 'written, and not yet ready',
    outcomes: [outcome('updated')],
    children: [current, progressing],
    want: {
      state: 'Reconciling',
      reason: 'Progressing',
      message: 'Deployment website-sample: 0 of 2 replicas updated',
    },
  },
  NoReason: {
    reason: 'a reason is required of a condition',
    outcomes: [outcome('failed')],
    want: { state: 'Stalled', reason: 'Stalled', message: '' },
  },
};

describe('summaryOf', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, outcomes, children = [current], want }) => {
    expect(summaryOf(outcomes, children), reason).toEqual(want);
  });
});

const results: Record<
  Outcome['result'],
  { reason: string; want: { write: boolean; place: boolean } }
> = {
  created: { reason: 'a write, in place', want: { write: true, place: true } },
  updated: { reason: 'a write, in place', want: { write: true, place: true } },
  deleted: { reason: 'a write, in place', want: { write: true, place: true } },
  unchanged: { reason: 'in place', want: { write: false, place: true } },
  skipped: { reason: 'postponed', want: { write: false, place: false } },
  failed: { reason: 'not in place', want: { write: false, place: false } },
  blocked: { reason: 'not in place', want: { write: false, place: false } },
};

describe('an outcome', () => {
  it.each(Object.entries(results))('%s', (result, { reason, want }) => {
    const one = outcome(result as Outcome['result']);
    expect(
      { write: isWrite(one), place: allSucceeded([outcome('unchanged'), one]) },
      reason,
    ).toEqual(want);
  });
});
