import { describe, expect, it } from 'vitest';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { DecisionBody } from '../../shared/plan/decision/decision.ts';
import { isNoop, type Plan, type UnseenPlan } from '../../shared/plan/plan.ts';
import { deletionNamespaces } from '../../shared/plan/pruning.ts';
import { casesOf } from '../support/cases.ts';
import { websiteService } from '../support/children.ts';
import { create, decision, exists, none, planned, remove, wait } from '../support/decisions.ts';

const only = (verb: DecisionBody): Plan => planned([decision('Deployment', 'a', verb)]);

const unseen = (over: Partial<UnseenPlan>): UnseenPlan => ({
  state: 'unseen',
  references: [],
  listed: [],
  names: [],
  questions: [],
  deletions: [],
  ...over,
});

const quiet: Record<string, { reason: string; given: Plan; want: boolean }> = {
  'C-2 None': { reason: 'no drift', given: only(none), want: true },
  Create: { reason: 'something to send', given: only(create({}, false)), want: false },
  OneOfTwo: {
    reason: 'something to send, although another child is in place',
    given: planned([
      decision('Deployment', 'a', none),
      decision('Deployment', 'b', create({}, false)),
    ]),
    want: false,
  },
  Block: { reason: 'an Event to post', given: only(exists('a', 'Foo')), want: false },
  Exposure: {
    reason: 'an exposure to write',
    given: { ...planned([]), exposures: [decision('Deployment', 'a', create({}, false))] } as Plan,
    want: false,
  },
  Deletion: {
    reason: 'something to delete',
    given: planned([], [decision('Service', 'x', remove(websiteService()))]),
    want: false,
  },
  Unseen: {
    reason: 'something to look up',
    given: unseen({}),
    want: false,
  },
  Invalid: { reason: 'at most the status', given: { state: 'invalid', message: '' }, want: true },
  'C-14 Suspended': { reason: 'at most the status', given: { state: 'suspended' }, want: true },
  'C-7 Deleting': { reason: 'nothing', given: { state: 'deleting' }, want: true },
};

describe('isNoop', () => {
  it.each(casesOf(quiet))('%s', (_, { given, want }) => {
    expect(isNoop(given)).toBe(want);
  });
});

const deleted = decision('Service', 'x', remove(websiteService()));
const listed = { apiVersion: 'v1', kind: 'Service', name: 'x', type: service };

const pruning: Record<string, { reason: string; given: Plan; want: readonly string[] }> = {
  'C-5 Deletion': {
    reason: 'a child is deleted',
    given: planned([], [deleted]),
    want: ['default'],
  },
  'C-5 OneOfSeveral': {
    reason: 'another child is waited for',
    given: planned([], [decision('Service', 'y', wait('y', 'Service')), deleted]),
    want: ['default'],
  },
  'C-13 Deleting': {
    reason: 'a child that is being deleted needs no permission',
    given: planned([], [decision('Service', 'x', wait('x', 'Service'))]),
    want: [],
  },
  'G-3 Exposure': {
    reason: 'closing an exposure needs no permission',
    given: { ...planned([]), exposures: [deleted] } as Plan,
    want: [],
  },
  Decision: { reason: 'a decision needs no permission', given: planned([deleted]), want: [] },
  'C-5 Unseen': {
    reason: 'an unwanted child that the status lists may exist',
    given: unseen({ listed: [listed] }),
    want: ['default'],
  },
  UnseenName: {
    reason: 'a desired child that has to be read is not deleted',
    given: unseen({ names: [listed] }),
    want: [],
  },
  'C-5 UnseenNameAndDeletion': {
    reason: 'the unwanted children are known already',
    given: unseen({ names: [listed], deletions: [deleted] }),
    want: ['default'],
  },
  Invalid: { reason: 'nothing is deleted', given: { state: 'invalid', message: '' }, want: [] },
  'C-14 Suspended': { reason: 'nothing is deleted', given: { state: 'suspended' }, want: [] },
};

describe('deletionNamespaces', () => {
  it.each(casesOf(pruning))('%s', (_, { given, want }) => {
    const found = deletionNamespaces(given, { namespace: 'default' });
    expect([...found]).toEqual(want);
  });
});
