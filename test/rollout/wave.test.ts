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
  members.map(({ uid }) => uid).toSorted();

interface Case {
  readonly reason: string;
  readonly fleet: Fleet;
  /** The number of resources that begin. */
  readonly begin: number;
  readonly withdraw?: number;
  readonly halted?: true;
  readonly policy?: Partial<RolloutPolicy>;
  readonly pause?: Partial<RolloutPause>;
}

const cases: Readonly<Record<string, Case>> = {
  'none waits': { reason: 'nothing begins if no resource waits', fleet: fleetOf({}), begin: 0 },
  'the first wave': {
    reason: 'one resource begins, because none has finished since the wait began',
    fleet: fleetOf(four),
    begin: 1,
  },
  'an earlier rollout': {
    reason: 'one resource begins if another finished before the wait began',
    fleet: fleetOf(four, minute(9)),
    begin: 1,
  },
  'the second wave': {
    reason: 'the whole budget begins after one resource has finished',
    fleet: fleetOf(four, proven),
    begin: 3,
  },
  'a kind with a lower budget': {
    reason: 'the lower of two budgets applies',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: 2 } },
    begin: 2,
  },
  'a kind with a percentage': {
    reason: 'a percentage refers to the 30 resources of the kind',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: '5%' } },
    begin: 1,
  },
  'a kind with a higher budget': {
    reason: 'the budget of the settings applies',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: '100%' } },
    begin: 3,
  },
  'a resource left behind by an earlier rollout': {
    reason: 'the waiting time of a resource that cannot begin is ignored',
    fleet: fleetOf({ ...four, e: { ...waiting, since: 5, notReady: true } }, minute(9)),
    begin: 1,
  },
  'a resource that failed in an earlier rollout': {
    reason: 'the waiting time of a resource with a failed change is ignored',
    fleet: fleetOf(
      { ...four, e: { reason: 'RolloutHalted', since: 5, at: 8, notReady: true } },
      minute(9),
    ),
    pause: { resumedAt: minute(9) },
    begin: 1,
  },
  'some under way': {
    reason: 'resources that are rolling out have slots',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut' } }, proven),
    begin: 2,
  },
  'a resource chosen by another run': {
    reason: 'a chosen resource has a slot, too',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }, proven),
    begin: 2,
  },
  'too many chosen': {
    reason: 'the surplus is withdrawn if two runs chose at the same time',
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
    reason: 'the waiting time of chosen resources still counts',
    fleet: fleetOf({ a: { reason: 'Starting' }, b: { reason: 'Starting' } }, proven),
    begin: 0,
  },
  'a failed resource': {
    reason: 'a resource fails that is not Ready 15 min after its change',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    begin: 0,
    halted: true,
  },
  'a failed resource and a chosen one': {
    reason: 'a chosen resource is withdrawn while none may begin',
    fleet: fleetOf(
      { ...four, e: { reason: 'RollingOut', at: 15, notReady: true }, f: { reason: 'Starting' } },
      proven,
    ),
    begin: 0,
    withdraw: 1,
    halted: true,
  },
  'a slow resource': {
    reason: 'a resource does not fail before 15 min',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 21, notReady: true } }, proven),
    begin: 2,
  },
  'Ready late': {
    reason: 'a Ready resource keeps its slot until it is marked as done',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15 } }, proven),
    begin: 2,
  },
  'failed before': {
    reason: 'the rollout stays halted until the failed resource is Ready, whatever the time',
    fleet: fleetOf({ ...four, e: { reason: 'RolloutHalted', at: 29, notReady: true } }, proven),
    begin: 0,
    halted: true,
  },
  'as many failures as allowed': {
    reason: 'a failed resource keeps its slot',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    policy: { failures: 1 },
    begin: 2,
  },
  'suspended under way': {
    reason: 'a resource keeps its slot as long as a change may take',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', notReady: true, idle: true } }, proven),
    begin: 2,
  },
  'suspended under way for long': {
    reason: 'a suspended resource neither fails nor delays others',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, idle: true } }, proven),
    begin: 3,
  },
  'resources that finished, one of them in the future': {
    reason: 'one of two resources counts as finished',
    fleet: { ...fleetOf(four), done: ['9999-12-31T23:59:59Z', proven] },
    begin: 3,
  },
  'a resource that finished in the future': {
    reason: 'a time in the future proves nothing, because anyone with access may write a status',
    fleet: fleetOf(four, '9999-12-31T23:59:59Z'),
    begin: 1,
  },
  paused: {
    reason: 'nothing begins while the rollout is paused',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut' } }, proven),
    pause: { paused: true },
    begin: 0,
  },
  'paused, with a chosen resource': {
    reason: 'a chosen resource is withdrawn while the rollout is paused',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }, proven),
    pause: { paused: true },
    begin: 0,
    withdraw: 1,
  },
  'resumed after a failure': {
    reason: 'after a resume an earlier failure takes no slot, and the first wave is one resource',
    fleet: fleetOf({ ...four, e: { reason: 'RolloutHalted', at: 20, notReady: true } }),
    pause: { resumedAt: minute(20) },
    begin: 1,
  },
  'resumed, with others that failed later': {
    reason: 'after a resume only an earlier failure is ignored',
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
    reason: 'a failure after the resume halts the rollout',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    pause: { resumedAt: minute(26) },
    begin: 0,
    halted: true,
  },
  'none that is Ready waits': {
    reason:
      'a resource that is not Ready does not begin, because it would look like a failure of the new version',
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

  it('takes the resources that have waited longest, taking turns between namespaces', () => {
    const later = { ...waiting, since: 11 };
    const given = { 'm/a': waiting, 'm/b': waiting, 'm/c': waiting, 'n/d': waiting, 'n/e': later };
    const { begin } = waveOf(fleetOf(given, proven), { policy, now, pause: notPaused });
    expect(namesOf(begin)).toContain('n/d');
    expect(namesOf(begin)).not.toContain('n/e');
  });

  const first = { ...waiting, since: 12, first: true as const };
  const orderOf = (given: Readonly<Record<string, Given>>, lastDone?: string) =>
    waveOf(fleetOf(given, lastDone), { policy, now, pause: notPaused }).waiting.map(
      ({ uid }) => uid,
    );

  it('takes a resource that should go first', () => {
    expect(orderOf({ ...four, z: first })[0]).toBe('z');
  });

  it('takes resources that should go first only before others of their namespace, once one is done', () => {
    const given = { 'm/a': waiting, 'm/b': waiting, 'n/c': waiting, 'n/y': first, 'n/z': first };
    const order = orderOf(given, proven);
    expect(order.slice(0, 2).map((name) => name[0])).toEqual(expect.arrayContaining(['m', 'n']));
    expect(order.filter((name) => name.startsWith('n')).at(-1)).toBe('n/c');
  });

  it('prefers no further canary of a namespace that has already begun', () => {
    const failed: Given = { reason: 'RolloutHalted', at: 20, notReady: true };
    const given = { 'm/a': waiting, 'n/x': failed, 'n/y': first, 'n/z': first };
    expect(orderOf(given)[0]).toBe('m/a');
    expect(orderOf({ ...given, 'o/b': first })[0]).toBe('o/b');
  });

  it('chooses the same resources whatever the order of the list', () => {
    const back = Object.fromEntries(Object.entries(four).toReversed());
    const [one, other] = [four, back].map((given) =>
      waveOf(fleetOf(given, proven), { policy, now, pause: notPaused }).begin.map(({ uid }) => uid),
    );
    expect(one).toEqual(other);
  });
});
