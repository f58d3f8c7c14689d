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
  deletions: [],
  ...over,
});

const quiet: Record<string, { reason: string; given: Plan; want: boolean }> = {
  'C-2 None': { reason: 'true without drift', given: only(none), want: true },
  Create: {
    reason: 'false if a child has to be written',
    given: only(create({}, false)),
    want: false,
  },
  OneOfTwo: {
    reason: 'false if one of several children has to be written',
    given: planned([
      decision('Deployment', 'a', none),
      decision('Deployment', 'b', create({}, false)),
    ]),
    want: false,
  },
  Block: {
    reason: 'false if an Event has to be posted',
    given: only(exists('a', 'Foo')),
    want: false,
  },
  Exposure: {
    reason: 'false if an exposure has to be written',
    given: { ...planned([]), exposures: [decision('Deployment', 'a', create({}, false))] } as Plan,
    want: false,
  },
  Deletion: {
    reason: 'false if a child has to be deleted',
    given: planned([], [decision('Service', 'x', remove(websiteService()))]),
    want: false,
  },
  Unseen: {
    reason: 'false if an object has to be read',
    given: unseen({}),
    want: false,
  },
  Invalid: {
    reason: 'true if at most the status is written',
    given: { state: 'invalid', message: '' },
    want: true,
  },
  'C-14 Suspended': {
    reason: 'true if at most the status is written',
    given: { state: 'suspended' },
    want: true,
  },
  'C-7 Deleting': {
    reason: 'true if nothing is written',
    given: { state: 'deleting' },
    want: true,
  },
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
    reason: 'includes the namespace of a deletion',
    given: planned([], [deleted]),
    want: ['default'],
  },
  'C-5 OneOfSeveral': {
    reason: 'includes the namespace of a deletion while another child is waited for',
    given: planned([], [decision('Service', 'y', wait('y', 'Service')), deleted]),
    want: ['default'],
  },
  'C-13 Deleting': {
    reason: 'excludes a child that is already being deleted',
    given: planned([], [decision('Service', 'x', wait('x', 'Service'))]),
    want: [],
  },
  'G-3 Exposure': {
    reason: 'excludes a withdrawal of paths',
    given: { ...planned([]), exposures: [deleted] } as Plan,
    want: [],
  },
  Decision: {
    reason: 'excludes a decision that deletes nothing',
    given: planned([deleted]),
    want: [],
  },
  'C-5 Unseen': {
    reason: 'includes an unwanted child that the status lists and that may exist',
    given: unseen({ listed: [listed] }),
    want: ['default'],
  },
  UnseenName: {
    reason: 'excludes a desired child that has to be read',
    given: unseen({ names: [listed] }),
    want: [],
  },
  'C-5 UnseenNameAndDeletion': {
    reason: 'excludes children that are read after the unwanted ones are known',
    given: unseen({ names: [listed], deletions: [deleted] }),
    want: ['default'],
  },
  Invalid: {
    reason: 'is empty if nothing is deleted',
    given: { state: 'invalid', message: '' },
    want: [],
  },
  'C-14 Suspended': {
    reason: 'is empty if nothing is deleted',
    given: { state: 'suspended' },
    want: [],
  },
};

describe('deletionNamespaces', () => {
  it.each(casesOf(pruning))('%s', (_, { given, want }) => {
    const found = deletionNamespaces(given, { namespace: 'default' });
    expect([...found]).toEqual(want);
  });
});
