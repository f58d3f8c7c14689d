import { describe, expect, it } from 'vitest';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import type { Fleet, Member } from '../../shared/rollout/fleet.ts';
import { notPaused, type RolloutPause } from '../../shared/rollout/pause.ts';
import { waveOf } from '../../shared/rollout/wave.ts';
import { foo } from '../../systems/foo.ts';
import { fleetOf, four, minute, now, policy, proven, waiting } from './rollout-members.ts';

const namesOf = (members: readonly Member[]): readonly string[] =>
  members.map(({ resource }) => resource.uid).toSorted();

interface Case {
  readonly reason: string;
  readonly fleet: Fleet;
  /** How many begin, and which are withdrawn. */
  readonly begin: number;
  readonly withdraw?: number;
  readonly halted?: true;
  readonly policy?: Partial<RolloutPolicy>;
  readonly pause?: Partial<RolloutPause>;
}

const cases: Readonly<Record<string, Case>> = {
  'none waits': { reason: 'nothing to do', fleet: fleetOf({}), begin: 0 },
  'the first wave': {
    reason: 'one, as none is done since they wait',
    fleet: fleetOf(four),
    begin: 1,
  },
  'an earlier rollout': {
    reason: 'what was done before they waited proves nothing',
    fleet: fleetOf(four, minute(9)),
    begin: 1,
  },
  'the second wave': { reason: 'the budget', fleet: fleetOf(four, proven), begin: 3 },
  'a kind with a lower budget': {
    reason: 'the lower one holds',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: 2 } },
    begin: 2,
  },
  'a kind with a percentage': {
    reason: 'of its 30 resources',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: '5%' } },
    begin: 1,
  },
  'a kind with a higher budget': {
    reason: 'that of the settings holds',
    fleet: { ...fleetOf(four, proven), kind: { ...foo, rolloutBudget: '100%' } },
    begin: 3,
  },
  'one left behind by an earlier rollout': {
    reason: 'it cannot begin, so since when it waits says nothing of this rollout',
    fleet: fleetOf({ ...four, e: { ...waiting, since: 5, notReady: true } }, minute(9)),
    begin: 1,
  },
  'one that failed in an earlier rollout': {
    reason: 'since when it waited says nothing of this rollout, either',
    fleet: fleetOf(
      { ...four, e: { reason: 'RolloutHalted', since: 5, at: 8, notReady: true } },
      minute(9),
    ),
    pause: { resumedAt: minute(9) },
    begin: 1,
  },
  'some under way': {
    reason: 'they have their slots',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut' } }, proven),
    begin: 2,
  },
  'one chosen by another run': {
    reason: 'it has a slot, too',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }, proven),
    begin: 2,
  },
  'too many chosen': {
    reason: 'two runs chose at the same time: those that are too many go back',
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
    reason: 'since when the chosen waited still counts',
    fleet: fleetOf({ a: { reason: 'Starting' }, b: { reason: 'Starting' } }, proven),
    begin: 0,
  },
  'one failed': {
    reason: 'it is not Ready 15 min after its change',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    begin: 0,
    halted: true,
  },
  'one failed, one chosen': {
    reason: 'what is chosen goes back, as none may begin',
    fleet: fleetOf(
      { ...four, e: { reason: 'RollingOut', at: 15, notReady: true }, f: { reason: 'Starting' } },
      proven,
    ),
    begin: 0,
    withdraw: 1,
    halted: true,
  },
  'one slow': {
    reason: 'its time is not over',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 21, notReady: true } }, proven),
    begin: 2,
  },
  'Ready late': {
    reason: 'it only has not been marked as done yet',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15 } }, proven),
    begin: 2,
  },
  'failed before': {
    reason: 'halted until it is Ready, however the clock goes',
    fleet: fleetOf({ ...four, e: { reason: 'RolloutHalted', at: 29, notReady: true } }, proven),
    begin: 0,
    halted: true,
  },
  'as many failed as may': {
    reason: 'it keeps its slot',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    policy: { failures: 1 },
    begin: 2,
  },
  'suspended under way': {
    reason: 'it keeps its slot for as long as a change may take',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', notReady: true, idle: true } }, proven),
    begin: 2,
  },
  'suspended under way for long': {
    reason: 'it is no failure, and cannot hold up the others',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, idle: true } }, proven),
    begin: 3,
  },
  'one done in the future': {
    reason: 'who may write a status proves nothing by it',
    fleet: fleetOf(four, '9999-12-31T23:59:59Z'),
    begin: 1,
  },
  paused: {
    reason: 'none begins',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut' } }, proven),
    pause: { paused: true },
    begin: 0,
  },
  'paused, one chosen': {
    reason: 'it has not begun, and goes back',
    fleet: fleetOf({ ...four, e: { reason: 'Starting' } }, proven),
    pause: { paused: true },
    begin: 0,
    withdraw: 1,
  },
  'resumed after a failure': {
    reason: 'what failed before takes no slot any more, and the first wave is one again',
    fleet: fleetOf({ ...four, e: { reason: 'RolloutHalted', at: 20, notReady: true } }),
    pause: { resumedAt: minute(20) },
    begin: 1,
  },
  'resumed, and others failed since': {
    reason: 'only what failed before is left out',
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
  'resumed, and one late that was changed before': {
    reason: 'it failed after that',
    fleet: fleetOf({ ...four, e: { reason: 'RollingOut', at: 15, notReady: true } }, proven),
    pause: { resumedAt: minute(26) },
    begin: 0,
    halted: true,
  },
  'none that is Ready waits': {
    reason: 'one that is out of order would look like a failure of the new version',
    fleet: fleetOf({ a: { ...waiting, notReady: true }, b: { ...waiting, idle: true } }, proven),
    begin: 0,
  },
};

describe('waveOf', () => {
  it.each(Object.entries(cases))(
    '%s',
    (_, { reason, fleet, begin, withdraw = 0, halted, ...more }) => {
      const pause = { ...notPaused, ...more.pause };
      const wave = waveOf(fleet, { policy: { ...policy, ...more.policy }, now, pause });
      expect([wave.begin.length, wave.withdraw.length, wave.halted], reason).toEqual([
        begin,
        withdraw,
        halted === true,
      ]);
    },
  );

  it('takes who has waited longest, namespaces in turn', () => {
    const later = { ...waiting, since: 11 };
    const given = { 'm/a': waiting, 'm/b': waiting, 'm/c': waiting, 'n/d': waiting, 'n/e': later };
    const { begin } = waveOf(fleetOf(given, proven), { policy, now, pause: notPaused });
    expect(namesOf(begin)).toContain('n/d');
    expect(namesOf(begin)).not.toContain('n/e');
  });

  it('takes one that is to go first', () => {
    const given = { ...four, z: { ...waiting, since: 12, first: true as const } };
    expect(namesOf(waveOf(fleetOf(given), { policy, now, pause: notPaused }).begin)).toEqual(['z']);
  });

  it('chooses the same whatever the order of the list', () => {
    const back = Object.fromEntries(Object.entries(four).toReversed());
    const [one, other] = [four, back].map((given) =>
      waveOf(fleetOf(given, proven), { policy, now, pause: notPaused }).begin.map(
        ({ resource }) => resource.uid,
      ),
    );
    expect(one).toEqual(other);
  });
});
