import { describe, expect, it } from 'vitest';
import { progressOf, type RolloutProgress } from '../../infra/actions/rollout-progress.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import type { Fleet } from '../../shared/rollout/fleet.ts';
import { notPaused, type RolloutPause } from '../../shared/rollout/pause.ts';
import { fleetOf, four, minute, now, policy, proven, waiting } from '../rollout/rollout-members.ts';
import { casesOf } from '../support/cases.ts';

interface Case {
  readonly reason: string;
  readonly fleet: Fleet;
  /** Minutes at which resources finished. */
  readonly done?: readonly number[];
  readonly policy?: Partial<RolloutPolicy>;
  readonly pause?: Partial<RolloutPause>;
  readonly want: Partial<RolloutProgress>;
}

const running = { reason: 'RollingOut' } as const;
const late = { reason: 'RolloutHalted', at: 20, notReady: true } as const;

const cases: Readonly<Record<string, Case>> = {
  'no rollout': {
    reason: 'resources of an earlier rollout are not counted as done',
    fleet: fleetOf({}),
    done: [8, 9],
    want: { state: 'none', resources: 30, done: 0, waiting: 0, resyncsLeft: 0 },
  },
  'before the first': {
    reason: 'the first wave has one resource, the next ones three',
    fleet: fleetOf(four),
    want: { state: 'underWay', done: 0, waiting: 4, slots: 1, budget: 3, resyncsLeft: 2 },
  },
  'the first is under way': {
    reason:
      'the next resync finds the first done and begins three, and the one after that begins the last',
    fleet: fleetOf({ ...four, e: running }),
    want: { state: 'underWay', underWay: 1, waiting: 4, resyncsLeft: 3 },
  },
  'some are done': {
    reason: 'resources count as done if they finished since the others began to wait in minute 10',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }),
    done: [9, 10, 20],
    want: { state: 'underWay', done: 2, underWay: 1, waiting: 4, slots: 3, resyncsLeft: 2 },
  },
  'the last wave': {
    reason: 'the next resync finds the last wave Ready',
    fleet: fleetOf({ e: running, f: running }, proven),
    want: { state: 'underWay', underWay: 2, waiting: 0, resyncsLeft: 1 },
  },
  'a failure that is tolerated': {
    reason: 'the failed resource keeps its slot, which leaves two',
    fleet: fleetOf({ ...four, e: late }, proven),
    policy: { failures: 1 },
    want: { state: 'underWay', underWay: 0, failed: 1, waiting: 4, resyncsLeft: 2 },
  },
  'failures that occupy all slots': {
    reason: 'nothing can begin until a failed resource is Ready',
    fleet: fleetOf({ ...four, e: late }),
    policy: { failures: 1 },
    want: { state: 'underWay', failed: 1, resyncsLeft: undefined },
  },
  halted: {
    reason: 'the end of a halted rollout is unknown',
    fleet: fleetOf({ ...four, e: late, f: running }, proven),
    want: { state: 'halted', underWay: 1, failed: 1, waiting: 4, resyncsLeft: undefined },
  },
  paused: {
    reason: 'the end of a paused rollout is unknown',
    fleet: fleetOf({ ...four, e: running }, proven),
    pause: { paused: true },
    want: { state: 'paused', underWay: 1, waiting: 4, resyncsLeft: undefined },
  },
  'halted and paused': {
    reason: 'a resume ends both, and the failure needs attention first',
    fleet: fleetOf({ ...four, e: late }, proven),
    pause: { paused: true },
    want: { state: 'halted' },
  },
  'paused without a rollout': {
    reason: 'the next rollout will not begin',
    fleet: fleetOf({}),
    pause: { paused: true },
    want: { state: 'paused', waiting: 0 },
  },
  'resumed after a failure': {
    reason: 'a failure before the resumption is shown, but occupies no slot',
    fleet: fleetOf({ ...four, e: late }, proven),
    pause: { resumedAt: minute(20) },
    want: { state: 'underWay', failed: 1, waiting: 4, resyncsLeft: 2 },
  },
  'some waiting resources cannot begin': {
    reason: 'only resources that can begin determine the remaining time',
    fleet: fleetOf(
      { ...four, e: { ...waiting, notReady: true }, f: { ...waiting, idle: true } },
      proven,
    ),
    want: { waiting: 6, unable: 2, resyncsLeft: 2 },
  },
  'no waiting resource can begin': {
    reason: 'the end is unknown',
    fleet: fleetOf({ a: { ...waiting, notReady: true } }, proven),
    want: { state: 'underWay', waiting: 1, unable: 1, resyncsLeft: undefined },
  },
};

describe('progressOf', () => {
  it.each(casesOf(cases))('%s', (_, { reason, fleet, done, want, ...more }) => {
    const whole = done === undefined ? fleet : { ...fleet, done: done.map(minute) };
    const found = progressOf(whole, {
      policy: { ...policy, ...more.policy },
      now,
      pause: { ...notPaused, ...more.pause },
    });
    expect(found, reason).toMatchObject(want);
  });

  it('lists the resources that are not done, failed ones first', () => {
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
