import { describe, expect, it } from 'vitest';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import type { Fleet, Member } from '../../shared/rollout/fleet.ts';
import { notPaused, type RolloutPause } from '../../shared/rollout/pause.ts';
import { waveOf } from '../../shared/rollout/wave.ts';
import { foo } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import {
  fleetOf,
  four,
  type Given,
  minute,
  now,
  policy,
  proven,
  waiting,
} from './rollout-members.ts';

const namesOf = (members: readonly Member[]): readonly string[] =>
  members.map(({ resource }) => resource.uid).toSorted();

interface Case {
  readonly reason: string;
  readonly fleet: Fleet;
  /** Counts those that begin, and names those that are withdrawn. */
  readonly begin: number;
  readonly withdraw?: number;
  readonly halted?: true;
  readonly policy?: Partial<RolloutPolicy>;
  readonly pause?: Partial<RolloutPause>;
}

const cases: Readonly<Record<string, Case>> = {
  'none waits': { reason: 'there is nothing to do', fleet: fleetOf({}), begin: 0 },
  'the first wave': {
    reason: 'one resource begins, because none has finished since they wait',
    fleet: fleetOf(four),
    begin: 1,
  },
  'an earlier rollout': {
    reason: 'a resource that finished before they waited proves nothing',
    fleet: fleetOf(four, minute(9)),
    begin: 1,
  },
  'the second wave': { reason: 'the whole budget begins', fleet: fleetOf(four, proven), begin: 3 },
  'a kind with a lower budget': {
    reason: 'the lower budget counts',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: 2 } },
    begin: 2,
  },
  'a kind with a percentage': {
    reason: 'the percentage is of its 30 resources',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: '5%' } },
    begin: 1,
  },
  'a kind with a higher budget': {
    reason: 'the budget of the settings counts',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: '100%' } },
    begin: 3,
  },
  'a resource left behind by an earlier rollout': {
    reason: 'it cannot begin, so its waiting time says nothing of this rollout',
    fleet: fleetOf({ ...four, e: { ...waiting, since: 5, notReady: true } }, minute(9)),
    begin: 1,
  },
  'a resource that failed in an earlier rollout': {
    reason: 'its waiting time says nothing of this rollout, either',
    fleet: fleetOf(
      { ...four, e: { reason: 'RolloutHalted', since: 5, at: 8, notReady: true } },
      minute(9),
    ),
    pause: { resumedAt: minute(9) },
    begin: 1,
  },
  'some under way': {
    reason: 'they have slots',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut' } }, proven),
    begin: 2,
  },
  'a resource chosen by another run': {
    reason: 'it has a slot, too',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }, proven),
    begin: 2,
  },
  'too many chosen': {
    reason: 'two runs chose at the same time: the surplus goes back',
    fleet: fleetOf(
      {
        ...four,
        e: { reason: 'Starting' },
        f: { reason: 'Starting' },
        g: { reason: 'RollingOut' },
        h: { reason: 'RollingOut' },
      },
      proven,
    ),
    begin: 0,
    withdraw: 1,
  },
  'all chosen, none waits': {
    reason: 'the waiting time of the chosen ones still counts',
    fleet: fleetOf({ a: { reason: 'Starting' }, b: { reason: 'Starting' } }, proven),
    begin: 0,
  },
  'a failed resource': {
    reason: 'it is not Ready 15 min after its change',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    begin: 0,
    halted: true,
  },
  'a failed resource and a chosen one': {
    reason: 'the chosen one goes back, because none may begin',
    fleet: fleetOf(
      { ...four, e: { reason: 'RollingOut', at: 15, notReady: true }, f: { reason: 'Starting' } },
      proven,
    ),
    begin: 0,
    withdraw: 1,
    halted: true,
  },
  'a slow resource': {
    reason: 'its time is not up',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 21, notReady: true } }, proven),
    begin: 2,
  },
  'Ready late': {
    reason: 'it has not been marked as done yet',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15 } }, proven),
    begin: 2,
  },
  'failed before': {
    reason: 'the rollout stays halted until it is Ready, whatever the clock says',
    fleet: fleetOf({ ...four, e: { reason: 'RolloutHalted', at: 29, notReady: true } }, proven),
    begin: 0,
    halted: true,
  },
  'as many failures as allowed': {
    reason: 'the failed one keeps its slot',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    policy: { failures: 1 },
    begin: 2,
  },
  'suspended under way': {
    reason: 'it keeps its slot as long as a change may take',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', notReady: true, idle: true } }, proven),
    begin: 2,
  },
  'suspended under way for long': {
    reason: 'a suspended resource is no failure, and cannot hold up the others',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, idle: true } }, proven),
    begin: 3,
  },
  'resources that finished, one of them in the future': {
    reason: 'the other one counts',
    fleet: { ...fleetOf(four), done: ['9999-12-31T23:59:59Z', proven] },
    begin: 3,
  },
  'a resource that finished in the future': {
    reason: 'anyone who may write a status proves nothing by it',
    fleet: fleetOf(four, '9999-12-31T23:59:59Z'),
    begin: 1,
  },
  paused: {
    reason: 'none begins',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut' } }, proven),
    pause: { paused: true },
    begin: 0,
  },
  'paused, with a chosen resource': {
    reason: 'it has not begun, and goes back',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }, proven),
    pause: { paused: true },
    begin: 0,
    withdraw: 1,
  },
  'resumed after a failure': {
    reason: 'an earlier failure takes no slot any more, and the first wave is one resource again',
    fleet: fleetOf({ ...four, e: { reason: 'RolloutHalted', at: 20, notReady: true } }),
    pause: { resumedAt: minute(20) },
    begin: 1,
  },
  'resumed, with others that failed later': {
    reason: 'only the earlier failure is omitted',
    fleet: fleetOf(
      {
        ...four,
        e: { reason: 'RolloutHalted', at: 20, notReady: true },
        f: { reason: 'RolloutHalted', at: 21, notReady: true },
      },
      proven,
    ),
    pause: { resumedAt: minute(20) },
    begin: 0,
    halted: true,
  },
  'resumed, with a late resource that was changed earlier': {
    reason: 'it failed after the rollout was resumed',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    pause: { resumedAt: minute(26) },
    begin: 0,
    halted: true,
  },
  'none that is Ready waits': {
    reason: 'a resource that is not Ready would look like a failure of the new version',
    fleet: fleetOf({ a: { ...waiting, notReady: true }, b: { ...waiting, idle: true } }, proven),
    begin: 0,
  },
};

describe('waveOf', () => {
  it.each(casesOf(cases))('%s', (_, { reason, fleet, begin, withdraw = 0, halted, ...more }) => {
    const pause = { ...notPaused, ...more.pause };
    const wave = waveOf(fleet, { policy: { ...policy, ...more.policy }, now, pause });
    expect([wave.begin.length, wave.withdraw.length, wave.halted], reason).toEqual([
      begin,
      withdraw,
      halted === true,
    ]);
  });

  it('takes those that have waited longest, taking turns between namespaces', () => {
    const later = { ...waiting, since: 11 };
    const given = { 'm/a': waiting, 'm/b': waiting, 'm/c': waiting, 'n/d': waiting, 'n/e': later };
    const { begin } = waveOf(fleetOf(given, proven), { policy, now, pause: notPaused });
    expect(namesOf(begin)).toContain('n/d');
    expect(namesOf(begin)).not.toContain('n/e');
  });

  const first = { ...waiting, since: 12, first: true as const };
  const orderOf = (given: Readonly<Record<string, Given>>, lastDone?: string) =>
    waveOf(fleetOf(given, lastDone), { policy, now, pause: notPaused }).waiting.map(
      ({ resource }) => resource.uid,
    );

  it('takes a resource that is to go first', () => {
    expect(orderOf({ ...four, z: first })[0]).toBe('z');
  });

  it('takes those that go first before others of their namespace alone, once one is done', () => {
    const given = { 'm/a': waiting, 'm/b': waiting, 'n/c': waiting, 'n/y': first, 'n/z': first };
    const order = orderOf(given, proven);
    expect(order.slice(0, 2).map((name) => name[0])).toEqual(expect.arrayContaining(['m', 'n']));
    expect(order.filter((name) => name.startsWith('n')).at(-1)).toBe('n/c');
  });

  it('prefers no further canary of a namespace that has begun', () => {
    const failed: Given = { reason: 'RolloutHalted', at: 20, notReady: true };
    const given = { 'm/a': waiting, 'n/x': failed, 'n/y': first, 'n/z': first };
    expect(orderOf(given)[0]).toBe('m/a');
    expect(orderOf({ ...given, 'o/b': first })[0]).toBe('o/b');
  });

  it('chooses the same resources whatever the order of the list', () => {
    const back = Object.fromEntries(Object.entries(four).toReversed());
    const [one, other] = [four, back].map((given) =>
      waveOf(fleetOf(given, proven), { policy, now, pause: notPaused }).begin.map(
        ({ resource }) => resource.uid,
      ),
    );
    expect(one).toEqual(other);
  });
});
