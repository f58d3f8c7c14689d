import { describe, expect, it } from 'vitest';
import { isUnderWay, readMark, withTarget } from '../../shared/plan/observed/rollout-mark.ts';

const time = '2026-11-22T10:00:00Z';
const later = '2026-11-22T10:05:00Z';
const managers = ['reconciler-rollout', 'former-rollout'];
const condition = {
  type: 'RolloutPending',
  status: 'True',
  reason: 'Waiting',
  message: '',
  lastTransitionTime: time,
};
const mark = { reason: 'Waiting', since: time, waitingSince: time, target: undefined, at: 0 };
const entry = (manager: string) => ({ manager, operation: 'Apply', time: later });

describe('readMark', () => {
  it.each([
    ['without a status', undefined, undefined],
    ['without conditions', {}, undefined],
    ['with conditions that are no list', { conditions: 'x' }, undefined],
    ['with malformed conditions', { conditions: [null, 5, []] }, undefined],
    ['with another condition', { conditions: [{ ...condition, type: 'Ready' }] }, undefined],
    ['with an unknown reason', { conditions: [{ ...condition, reason: 'Why' }] }, undefined],
    [
      'with an invalid time',
      { conditions: [{ ...condition, lastTransitionTime: 'soon' }] },
      undefined,
    ],
    ['with a mark', { conditions: [condition] }, mark],
    ['with a mark after others', { conditions: [{ type: 'A' }, condition] }, { ...mark, at: 1 }],
  ])('%s', (_, status, want) => {
    expect(readMark(status, managers, undefined)).toEqual(want);
  });

  it.each(managers)('takes the time of the server from the entry of %s', (manager) => {
    const found = readMark({ conditions: [condition] }, managers, [entry('x'), entry(manager)]);
    expect(found).toEqual({ ...mark, since: later });
  });

  it('reads the target from the message', () => {
    const message = withTarget('being changed', '0123456789-_');
    const found = readMark({ conditions: [{ ...condition, message }] }, managers, []);
    expect(found?.target).toBe('0123456789-_');
  });
});

it.each([
  ['RollingOut', true],
  ['RolloutHalted', true],
  ['Starting', false],
  ['Waiting', false],
  ['RolledOut', false],
] as const)('%s means that the resource is under way: %s', (reason, want) => {
  expect(isUnderWay({ ...mark, reason })).toBe(want);
});
