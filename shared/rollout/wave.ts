import { hash } from 'node:crypto';
import { type RolloutPolicy, rolloutBudget } from '../kinds/rollout-budget.ts';
import { isUnderWay } from '../plan/observed/rollout-mark.ts';
import { roundRobin } from '../plan/turns.ts';
import type { Fleet, Member } from './fleet.ts';
import { isOlder } from './gate.ts';
import type { RolloutPause } from './pause.ts';

/** What to do for a rollout now. */
interface Wave {
  /** Waiting ones to choose, in order. */
  readonly begin: readonly Member[];
  /** Chosen ones that are too many, by runs that chose at the same time. */
  readonly withdraw: readonly Member[];
  readonly chosen: readonly Member[];
  readonly underWay: readonly Member[];
  /** Of these, those that were not Ready in time. */
  readonly failed: readonly Member[];
  /** Of these, those that no longer count: the rollout was resumed since, or they were suspended or deleted meanwhile. */
  readonly forgiven: readonly Member[];
  readonly halted: boolean;
  /** How many may be chosen, under way and failed at present. */
  readonly slots: number;
  /** All that wait, in their order. */
  readonly waiting: readonly Member[];
}

/**
 * Chooses what begins next. A pure function of what the cluster shows.
 *
 * Guarantees: together with those under way, failed and chosen, no more than the budget, and one while
 * none is done since the first of those that can begin, or have begun in time, began to wait. Those whose
 * failure no longer counts are left out.
 */
export function waveOf(
  fleet: Fleet,
  { policy, now, pause }: { policy: RolloutPolicy; now: Date; pause: RolloutPause },
): Wave {
  const members = [...fleet.members.values()];
  const underWay = members.filter(({ mark }) => isUnderWay(mark));
  const late = underWay.filter((one) => isLate(one, policy, now));
  const forgiven = late.filter((one) => one.idle || isForgiven(one, pause));
  const failed = late.filter((one) => !forgiven.includes(one));
  const chosen = members.filter(({ mark }) => mark?.reason === 'Starting');
  const waiting = inOrder(members.filter(isWaiting));
  const halted = failed.length > policy.failures;
  const slots = slotsIn(fleet, policy, now);
  const taken = underWay.length - forgiven.length;
  const free = (halted || pause.paused ? taken : slots) - taken - chosen.length;
  return {
    chosen,
    underWay,
    failed,
    forgiven,
    halted,
    slots,
    waiting,
    begin: waiting.filter(canBegin).slice(0, Math.max(0, free)),
    withdraw: free < 0 ? inOrder(chosen).slice(free) : [],
  };
}

/** Whether one that waits can be chosen: one that is out of order would look like a failure. */
export const canBegin = ({ ready, idle }: Member): boolean => ready && !idle;

/** Only a failure that was marked before the rollout was resumed: others may have come since. */
const isForgiven = ({ mark }: Member, { resumedAt }: RolloutPause): boolean =>
  mark?.reason === 'RolloutHalted' && Date.parse(mark.since) <= Date.parse(resumedAt);

const isWaiting = ({ mark }: Member): boolean =>
  mark === undefined || mark.reason === 'Waiting' || mark.reason === 'RolledOut';

const isLate = ({ mark, ready, idle }: Member, policy: RolloutPolicy, now: Date): boolean =>
  (!ready || idle) &&
  mark !== undefined &&
  (mark.reason === 'RolloutHalted' || isOlder(mark.since, policy.timeoutMs, now));

/** How many may be changed at a time, by the settings and by the kind itself. */
export function budgetOf({ kind, resources }: Fleet, policy: RolloutPolicy): number {
  const own = rolloutBudget(String(kind.rolloutBudget ?? ''));
  return Math.min(policy.budget(resources), own?.(resources) ?? Number.POSITIVE_INFINITY);
}

function slotsIn(fleet: Fleet, policy: RolloutPolicy, now: Date): number {
  const { members, done } = fleet;
  const lastDone = done.toSorted().at(-1) ?? '';
  // One that has been left behind may wait since an earlier version.
  const counts = (one: Member): boolean =>
    isWaiting(one) ? canBegin(one) : !isLate(one, policy, now);
  const begun = [...members.values()]
    .filter(counts)
    .flatMap(({ mark }) =>
      mark === undefined || mark.reason === 'RolledOut' ? [] : mark.waitingSince,
    )
    .toSorted()[0];
  // A mark from the future is none of ours.
  const isProven =
    begun !== undefined && lastDone >= begun && Date.parse(lastDone) <= now.getTime() + skewMs;
  return isProven ? budgetOf(fleet, policy) : 1;
}

/** By which clocks may differ. */
const skewMs = 60_000;

/** Those that are to go first, then who has waited longest; of these, namespaces in turn. */
function inOrder(members: readonly Member[]): readonly Member[] {
  const rank = new Map(members.map((one) => [one, rankOf(one)]));
  const sorted = members.toSorted((a, b) => ((rank.get(a) ?? '') < (rank.get(b) ?? '') ? -1 : 1));
  const groups = Map.groupBy(sorted, (one) => `${one.first ? 0 : 1} ${sinceOf(one)}`);
  return [...groups.keys()]
    .toSorted()
    .flatMap((key) =>
      roundRobin([
        ...Map.groupBy(groups.get(key) ?? [], ({ resource }) => resource.namespace).values(),
      ]),
    );
}

/** One that has just been found comes after all that wait already. */
const sinceOf = ({ mark }: Member): string =>
  mark === undefined || mark.reason === 'RolledOut' ? '~' : mark.waitingSince;

const rankOf = ({ resource }: Member): string => hash('sha256', resource.uid);
