import { describe, expect, it } from 'vitest';
import type { DecisionBody } from '../../shared/plan/decision.ts';
import { isNoop, type Plan } from '../../shared/plan/plan.ts';
import { websiteService } from '../support/children.ts';
import { create, decision, exists, none, planned, remove } from '../support/decisions.ts';

const only = (verb: DecisionBody): Plan => planned([decision('Deployment', 'a', verb)]);

const quiet: Record<string, { reason: string; given: Plan; want: boolean }> = {
  'C-2 None': { reason: 'no drift', given: only(none), want: true },
  Create: { reason: 'something to send', given: only(create({}, false)), want: false },
  Block: { reason: 'an Event to post', given: only(exists('a', 'Foo')), want: false },
  Deletion: {
    reason: 'something to delete',
    given: planned([], [decision('Service', 'x', remove(websiteService()))]),
    want: false,
  },
  Unseen: {
    reason: 'something to look up',
    given: { state: 'unseen', listed: [], names: [] },
    want: false,
  },
  Invalid: { reason: 'at most the status', given: { state: 'invalid', message: '' }, want: true },
  'C-14 Suspended': { reason: 'at most the status', given: { state: 'suspended' }, want: true },
  'C-7 Deleting': { reason: 'nothing', given: { state: 'deleting' }, want: true },
};

describe('isNoop', () => {
  it.each(Object.entries(quiet))('%s', (_, { reason, given, want }) => {
    expect(isNoop(given), reason).toBe(want);
  });
});
