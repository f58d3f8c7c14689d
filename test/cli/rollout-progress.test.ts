import { describe, expect, it } from 'vitest';
import { progressOf, type RolloutProgress } from '../../infra/actions/rollout-progress.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import type { Fleet } from '../../shared/rollout/fleet.ts';
import { notPaused, type RolloutPause } from '../../shared/rollout/pause.ts';
import { fleetOf, four, minute, now, policy, proven, waiting } from '../rollout/rollout-members.ts';

interface Case {
  readonly reason: string;
  readonly fleet: Fleet;
  /** The minutes in which resources were done. */
  readonly done?: readonly number[];
  readonly policy?: Partial<RolloutPolicy>;
  readonly pause?: Partial<RolloutPause>;
  readonly want: Partial<RolloutProgress>;
}

const running = { reason: 'RollingOut' } as const;
const late = { reason: 'RolloutHalted', at: 20, notReady: true } as const;

const cases: Readonly<Record<string, Case>> = {
  'no rollout': {
    reason: 'what was done in an earlier one is not counted',
    fleet: fleetOf({}),
    done: [8, 9],
    want: { state: 'none', resources: 30, done: 0, waiting: 0, resyncsLeft: 0 },
  },
  'before the first': {
    reason: 'one, and then three at a time',
    fleet: fleetOf(four),
    want: { state: 'underWay', done: 0, waiting: 4, slots: 1, budget: 3, resyncsLeft: 2 },
  },
  'the first is under way': {
    reason: 'the next resync finds it done, the others begin three and one',
    fleet: fleetOf({ ...four, e: running }),
    want: { state: 'underWay', underWay: 1, waiting: 4, resyncsLeft: 3 },
  },
  'some are done': {
    reason: 'those that were done since the others began to wait in minute 10',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }),
    done: [9, 10, 20],
    want: { state: 'underWay', done: 2, underWay: 1, waiting: 4, slots: 3, resyncsLeft: 2 },
  },
  'the last wave': {
    reason: 'the next resync finds them Ready',
    fleet: fleetOf({ e: running, f: running }, proven),
    want: { state: 'underWay', underWay: 2, waiting: 0, resyncsLeft: 1 },
  },
  'a failure that is tolerated': {
    reason: 'it keeps its slot, so two go at a time',
    fleet: fleetOf({ ...four, e: late }, proven),
    policy: { failures: 1 },
    want: { state: 'underWay', underWay: 0, failed: 1, waiting: 4, resyncsLeft: 2 },
  },
  'failures that take all slots': {
    reason: 'nothing can begin until one of them is Ready',
    fleet: fleetOf({ ...four, e: late }),
    policy: { failures: 1 },
    want: { state: 'underWay', failed: 1, resyncsLeft: undefined },
  },
  halted: {
    reason: 'no time is known',
    fleet: fleetOf({ ...four, e: late, f: running }, proven),
    want: { state: 'halted', underWay: 1, failed: 1, waiting: 4, resyncsLeft: undefined },
  },
  paused: {
    reason: 'no time is known',
    fleet: fleetOf({ ...four, e: running }, proven),
    pause: { paused: true },
    want: { state: 'paused', underWay: 1, waiting: 4, resyncsLeft: undefined },
  },
  'halted and paused': {
    reason: 'resuming does away with both, and the failure is what to look at',
    fleet: fleetOf({ ...four, e: late }, proven),
    pause: { paused: true },
    want: { state: 'halted' },
  },
  'paused without a rollout': {
    reason: 'the next one will not begin',
    fleet: fleetOf({}),
    pause: { paused: true },
    want: { state: 'paused', waiting: 0 },
  },
  'resumed after a failure': {
    reason: 'it still shows as failed, and takes no slot',
    fleet: fleetOf({ ...four, e: late }, proven),
    pause: { resumedAt: minute(20) },
    want: { state: 'underWay', failed: 1, waiting: 4, resyncsLeft: 2 },
  },
  'some that wait cannot begin': {
    reason: 'the time is that of the others',
    fleet: fleetOf(
      { ...four, e: { ...waiting, notReady: true }, f: { ...waiting, idle: true } },
      proven,
    ),
    want: { waiting: 6, unable: 2, resyncsLeft: 2 },
  },
  'none that waits can begin': {
    reason: 'no time is known',
    fleet: fleetOf({ a: { ...waiting, notReady: true } }, proven),
    want: { state: 'underWay', waiting: 1, unable: 1, resyncsLeft: undefined },
  },
};

describe('progressOf', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, fleet, done, want, ...more }) => {
    const whole = done === undefined ? fleet : { ...fleet, done: done.map(minute) };
    const found = progressOf(whole, {
      policy: { ...policy, ...more.policy },
      now,
      pause: { ...notPaused, ...more.pause },
    });
    expect(found, reason).toMatchObject(want);
  });

  it('names those that are not done, what failed first', () => {
    const fleet = fleetOf({
      'n/a': { reason: 'Starting' },
      'n/b': running,
      'n/c': { ...late, at: 19 },
      'm/d': { ...late, at: 21 },
      'm/e': waiting,
      'm/f': { ...running, at: 15, notReady: true },
    });
    const pause = { paused: false, resumedAt: minute(19) };
    expect(progressOf(fleet, { policy, now, pause }).members).toEqual([
      { namespace: 'm', name: 'd', state: 'failed', since: minute(21) },
      { namespace: 'm', name: 'f', state: 'late', since: minute(15) },
      { namespace: 'n', name: 'c', state: 'forgiven', since: minute(19) },
      { namespace: 'n', name: 'b', state: 'underWay', since: minute(25) },
      { namespace: 'n', name: 'a', state: 'chosen', since: minute(25) },
    ]);
  });
});
