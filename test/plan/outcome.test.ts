import { describe, expect, it } from 'vitest';
import { keyOf } from '../../shared/kubernetes.ts';
import type { Decision, DecisionBody } from '../../shared/plan/decision/decision.ts';
import {
  addOutcome,
  expectedOutcome,
  isSatisfied,
  isWrite,
  type Outcome,
  summaryOf,
} from '../../shared/plan/decision/outcome.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import type { ConditionSummary } from '../../shared/plan/observed/conditions.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment } from '../support/children.ts';
import { create, decision, exists, none, remove, update, wait } from '../support/decisions.ts';
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

const waiting = (name: string): Outcome =>
  outcome('skipped', {
    reason: 'DependencyPending',
    message: `${name} waits`,
    waits: 'undisturbed',
  });
const disturbed: Outcome = {
  ...waiting('f was deleted, and'),
  waits: 'disturbed',
};

interface Case {
  readonly reason: string;
  readonly outcomes: readonly Outcome[];
  readonly children?: readonly (typeof current)[];
  readonly want: ConditionSummary;
}

const cases: Record<string, Case> = {
  Ready: {
    reason: 'all children are in place and ready',
    outcomes: [outcome('unchanged'), outcome('updated')],
    want: { state: 'Ready' },
  },
  Nothing: {
    reason: 'a resource without desired children is ready',
    outcomes: [],
    children: [],
    want: { state: 'Ready' },
  },
  'C-6 Blocked': {
    reason: 'a blocked child precedes failed, transient and progressing ones',
    outcomes: [skipped, transient, blocked],
    children: [broken, progressing],
    want: { state: 'Stalled', reason: 'ErrResourceExists', message: 'it exists' },
  },
  'C-10 Permanent': {
    reason: 'a permanent failure stalls like a block, and the first one names the reason',
    outcomes: [failed, blocked],
    want: { state: 'Stalled', reason: 'Invalid', message: 'it is invalid; it exists' },
  },
  Repeated: {
    reason: 'equal messages are shown once',
    outcomes: [failed, failed],
    want: { state: 'Stalled', reason: 'Invalid', message: 'it is invalid' },
  },
  Broken: {
    reason: 'a child that failed to progress precedes a transient failure',
    outcomes: [transient],
    children: [progressing, broken],
    want: {
      state: 'Stalled',
      reason: 'ProgressDeadlineExceeded',
      message: 'Deployment website-sample: timed out',
    },
  },
  'C-10 Transient': {
    reason: 'a transient failure does not stall the resource',
    outcomes: [transient, skipped],
    children: [progressing],
    want: {
      state: 'Reconciling',
      reason: 'TooManyRequests',
      message: 'try again; it is being deleted; Deployment website-sample: 0 of 2 replicas updated',
    },
  },
  'C-13 Waiting': {
    reason: 'a child that is being deleted makes the resource Reconciling',
    outcomes: [outcome('unchanged'), skipped],
    want: { state: 'Reconciling', reason: 'ChildDeleting', message: 'it is being deleted' },
  },
  'C-13 Leaving': {
    reason: 'a child that is being deleted neither fails nor progresses',
    outcomes: [skipped],
    children: [broken, progressing].map((one) => ({ ...one, deleting: true })),
    want: { state: 'Reconciling', reason: 'ChildDeleting', message: 'it is being deleted' },
  },
  ManyWaiting: {
    reason: 'of children that wait, at most three are named, and all that others disturbed',
    outcomes: [...['a', 'b', 'c', 'd', 'e'].map((one) => waiting(one)), disturbed],
    want: {
      state: 'Reconciling',
      reason: 'DependencyPending',
      message: 'a waits; b waits; c waits, likewise 2 more; f was deleted, and waits',
    },
  },
  ManyWaitingForBlocked: {
    reason: 'no other cause is left out',
    outcomes: [waiting('a'), waiting('b'), blocked, waiting('c'), waiting('d'), failed],
    want: {
      state: 'Stalled',
      reason: 'ErrResourceExists',
      message: 'it exists; it is invalid; a waits; b waits; c waits, likewise 1 more',
    },
  },
  Progressing: {
    reason: 'a child that is not ready yet makes the resource Reconciling',
    outcomes: [outcome('updated')],
    children: [current, progressing],
    want: {
      state: 'Reconciling',
      reason: 'Progressing',
      message: 'Deployment website-sample: 0 of 2 replicas updated',
    },
  },
  NoMessage: {
    reason: 'an outcome without a message adds no text',
    outcomes: [outcome('failed', { reason: 'Invalid' }), blocked, outcome('failed')],
    want: { state: 'Stalled', reason: 'Invalid', message: 'it exists' },
  },
  NoReason: {
    reason: 'an outcome without a reason gets a default one',
    outcomes: [outcome('failed')],
    want: { state: 'Stalled', reason: 'Stalled', message: '' },
  },
};

describe('summaryOf', () => {
  it.each(casesOf(cases))('%s', (_, { outcomes, children = [current], want }) => {
    expect(summaryOf(outcomes, children)).toEqual(want);
  });
});

const results: Record<
  Outcome['result'],
  { reason: string; want: { write: boolean; place: boolean } }
> = {
  created: { reason: 'is a write, and in place', want: { write: true, place: true } },
  updated: { reason: 'is a write, and in place', want: { write: true, place: true } },
  deleted: { reason: 'is a write, and in place', want: { write: true, place: true } },
  unchanged: { reason: 'is no write, and in place', want: { write: false, place: true } },
  skipped: { reason: 'is no write, and not in place', want: { write: false, place: false } },
  failed: { reason: 'is no write, and not in place', want: { write: false, place: false } },
  blocked: { reason: 'is no write, and not in place', want: { write: false, place: false } },
};

describe('an outcome', () => {
  it.each(Object.entries(results))('%s', (result, { reason, want }) => {
    const one = outcome(result as Outcome['result']);
    expect({ write: isWrite(one), place: isSatisfied(one) }, reason).toEqual(want);
  });

  it('is not in place if a finalizer keeps the deleted child', () => {
    const why = { reason: 'ChildDeleting', message: 'it is being deleted' };
    const one = outcome('deleted', why);
    expect({ write: isWrite(one), place: isSatisfied(one) }).toEqual({ write: true, place: false });
    expect(summaryOf([one], [current])).toEqual({ state: 'Reconciling', ...why });
  });

  it('is not in place if the child was repaired but still waits', () => {
    const why = { reason: 'DependencyPending', message: 'it waits' };
    const one = outcome('updated', why);
    expect({ write: isWrite(one), place: isSatisfied(one) }).toEqual({ write: true, place: false });
    expect(summaryOf([one], [current])).toEqual({ state: 'Reconciling', ...why });
  });

  it('is not in place while the child does not exist yet', () => {
    expect(isSatisfied(undefined)).toBe(false);
  });
});

const live = websiteDeployment();
const difference = (over: Partial<Difference> = {}): Difference => ({
  path: 'spec.replicas',
  from: 5,
  to: 2,
  writer: undefined,
  ...over,
});
const taken = difference({ writer: { manager: 'kubectl', time: undefined } });
const why = { reason: 'Conflict', message: 'others write it' };

const expected: Record<string, { given: DecisionBody; want: Omit<Outcome, 'child'> }> = {
  none: { given: none, want: { result: 'unchanged' } },
  wait: {
    given: wait('x'),
    want: { result: 'skipped', reason: 'ChildDeleting', message: 'Deployment x is being deleted' },
  },
  defer: {
    given: { verb: 'defer', ...why, reason: 'Contested' },
    want: { result: 'skipped', ...why, reason: 'Contested' },
  },
  block: {
    given: exists('x', 'Foo'),
    want: {
      result: 'blocked',
      reason: 'ErrResourceExists',
      message: 'Resource "x" already exists and is not managed by Foo; it is a Deployment',
    },
  },
  fail: {
    given: { verb: 'fail', ...why, transient: true },
    want: { result: 'failed', ...why, transient: true },
  },
  create: { given: create({}, false), want: { result: 'created', existed: false } },
  'create a lost child again': {
    given: { ...create({}, true), repeated: true } as DecisionBody,
    want: { result: 'created', existed: true, repeated: true },
  },
  update: {
    given: update(live, {}, { differences: [taken] }),
    want: { result: 'updated', differences: [taken] },
  },
  'update again': {
    given: update(live, {}, { differences: [taken], repeated: true }),
    want: { result: 'updated', differences: [taken], repeated: true },
  },
  consolidate: {
    given: { verb: 'consolidate', lock: 'previous' },
    want: { result: 'updated' },
  },
  withdraw: {
    given: { verb: 'withdraw', lock: 'previous', difference: { ...difference(), to: null } },
    want: { result: 'updated' },
  },
  delete: { given: remove(live), want: { result: 'deleted' } },
  'delete, with a reason': {
    given: { ...remove(live), ...why } as DecisionBody,
    want: { result: 'deleted', ...why },
  },
};

describe('the expected outcome of a decision', () => {
  it.each(Object.entries(expected))('%s', (_, { given, want }) => {
    const one: Decision = decision('Deployment', 'website-sample', given);
    expect(expectedOutcome(one)).toEqual({ child, ...want });
  });
});

describe('the outcomes of one child', () => {
  const recorded = (...all: readonly Outcome[]) => {
    const outcomes = new Map<string, Outcome>();
    for (const one of all) addOutcome(outcomes, one);
    return outcomes.get(keyOf(child));
  };

  it('are merged into the last result, with the differences of all', () => {
    const first = outcome('updated', { differences: [taken], version: '1' });
    const last = outcome('failed', { differences: [difference()], reason: 'Conflict' });
    expect(recorded(first, last)).toEqual({ ...last, differences: [taken, difference()] });
  });

  it('keep the origin of the first write, because the others build on it', () => {
    const first = outcome('updated', { origin: 'code' });
    const last = outcome('updated', { origin: 'drift' });
    expect(recorded(first, last)?.origin).toBe('code');
    expect(recorded(outcome('failed'), last)?.origin).toBe('drift');
    expect(recorded(first, outcome('updated'))?.origin).toBe('code');
  });

  it('stay a write when a second plan finds the child up to date', () => {
    const first = outcome('updated', { differences: [taken] });
    expect(recorded(first, outcome('unchanged'))).toEqual(first);
    expect(recorded(outcome('unchanged'))).toEqual(outcome('unchanged'));
  });

  it.each([
    ['adds a field', 'created', difference({ from: undefined })],
    ['changes nothing but the owner of a field', 'created', { ...taken, from: taken.to }],
    ['changes a value', 'updated', difference()],
    ["overwrites another writer's field", 'updated', { ...taken, from: undefined }],
  ] as const)('of a child that was created, and an update that %s, are %s', (_, want, one) => {
    const all = [outcome('created'), outcome('updated', { differences: [one] })];
    expect(recorded(...all)?.result).toBe(want);
  });
});
