import { type RolloutPolicy, rolloutBudget } from '../kinds/rollout-budget.ts';
import { isUnderWay } from '../plan/observed/rollout-mark.ts';
import { roundRobin } from '../plan/round-robin.ts';
import { shuffled } from '../run/fairness.ts';
import type { Fleet, Member } from './fleet.ts';
import { isOlder } from './gate.ts';
import type { RolloutPause } from './pause.ts';

interface Wave {
  /** Members to choose now, in this order. */
  readonly begin: readonly Member[];
  /** Chosen, but must wait again, because several runs chose at once, or the rollout was halted or paused. */
  readonly withdraw: readonly Member[];
  readonly chosen: readonly Member[];
  readonly underWay: readonly Member[];
  /** Members under way that are not Ready in time, except the `forgiven` members. */
  readonly failed: readonly Member[];
  /** Late, but not counted as failed: members that cannot begin, or that failed before the rollout was resumed. */
  readonly forgiven: readonly Member[];
  readonly halted: boolean;
  /** The maximum number of members that may be chosen, under way or failed, counted together. */
  readonly slots: number;
  /** Members that wait, in the order in which they will be chosen. */
  readonly waiting: readonly Member[];
}

/**
 * Chooses the next step of a rollout. A pure function.
 *
 * Guarantees: together, the members that begin, are already chosen, are being changed or have failed do not exceed the
 * budget. The budget is one until a member has finished (`isProven`). Forgiven members do not count.
 */
export function waveOf(
  fleet: Fleet,
  { policy, now, pause }: { policy: RolloutPolicy; now: Date; pause: RolloutPause },
): Wave {
  const members = [...fleet.members.values()];
  const underWay = members.filter(({ rollout }) => isUnderWay(rollout));
  const late = underWay.filter((one) => isLate(one, policy, now));
  const forgiven = late.filter((one) => cannotBegin(one) || isForgiven(one, pause));
  const failed = late.filter((one) => !forgiven.includes(one));
  const chosen = members.filter(({ rollout }) => rollout?.reason === 'Starting');
  const isDone = isProven(fleet, policy, now);
  const isFirst = precedenceAfter(underWay, isDone);
  const waiting = inOrder(members.filter(isWaiting), isFirst);
  const halted = failed.length > policy.failures;
  const slots = isDone ? budgetOf(fleet, policy) : 1;
  // Slots that no member under way takes.
  const free = halted || pause.paused ? 0 : Math.max(0, slots + forgiven.length - underWay.length);
  return {
    chosen,
    underWay,
    failed,
    forgiven,
    halted,
    slots,
    waiting,
    begin: waiting.filter(canBegin).slice(0, Math.max(0, free - chosen.length)),
    withdraw: inOrder(chosen, isFirst).slice(free),
  };
}

/** Reports whether a rollout may change the member now. An unready member waits, or it would look like a failure. */
export const canBegin = (one: Member): boolean => one.ready && !cannotBegin(one);

const cannotBegin = ({ suspended, observeOnly, deleting }: Member): boolean =>
  suspended || observeOnly || deleting;

const isForgiven = ({ rollout }: Member, { resumedAt }: RolloutPause): boolean =>
  rollout?.reason === 'RolloutHalted' && Date.parse(rollout.since) <= Date.parse(resumedAt);

const isWaiting = ({ rollout }: Member): boolean =>
  rollout === undefined || rollout.reason === 'Waiting' || rollout.reason === 'RolledOut';

const isLate = (one: Member, { timeoutMs }: RolloutPolicy, now: Date): boolean =>
  !canBegin(one) &&
  one.rollout !== undefined &&
  (one.rollout.reason === 'RolloutHalted' || isOlder(one.rollout.since, timeoutMs, now));

export function budgetOf(
  { kind, resources }: Pick<Fleet, 'kind' | 'resources'>,
  policy: RolloutPolicy,
): number {
  const own = rolloutBudget(String(kind.rolloutBudget ?? ''));
  return Math.min(policy.budget(resources), own?.(resources) ?? Number.POSITIVE_INFINITY);
}

/**
 * Reports whether a member has finished since the longest-waiting member began to wait. Ignores waiting members that
 * cannot begin, and members that are late.
 */
function isProven({ members, done }: Fleet, policy: RolloutPolicy, now: Date): boolean {
  // Omits a waiting member that cannot begin, because it may have been waiting since an earlier version.
  const counts = (one: Member): boolean =>
    isWaiting(one) ? canBegin(one) : !isLate(one, policy, now);
  const begun = [...members.values()]
    .filter(counts)
    .flatMap((one) => sinceOf(one) ?? [])
    .toSorted()[0];
  // Ignores times in the future, because someone else wrote them.
  const isPast = (time: string): boolean => Date.parse(time) <= now.getTime() + skewMs;
  return begun !== undefined && done.some((time) => time >= begun && isPast(time));
}

const skewMs = 60_000;

/**
 * Sorts members: first those for which `isFirst` is true, then by waiting time, with namespaces in turn. Each namespace
 * gives its first places to its `rollout-first` members.
 */
function inOrder(members: readonly Member[], isFirst: (one: Member) => boolean): readonly Member[] {
  const mixed = shuffled(members, 0, ({ uid }) => uid);
  const places = [...Map.groupBy(mixed, (one) => sinceOf(one) ?? '~')]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => roundRobin([...byNamespace(group).values()]));
  const queues = byNamespace(
    places.toSorted(byPrecedence(({ first }) => first === true)).toReversed(),
  );
  return places
    .flatMap(({ namespace }) => queues.get(namespace)?.pop() ?? [])
    .toSorted(byPrecedence(isFirst));
}

const byNamespace = (members: readonly Member[]) =>
  Map.groupBy(members, ({ namespace }) => namespace);

const byPrecedence =
  (isFirst: (one: Member) => boolean) =>
  (a: Member, b: Member): number =>
    Number(isFirst(b)) - Number(isFirst(a));

/** Until a member of the fleet is done, `rollout-first` members come first in namespaces with none under way. */
function precedenceAfter(underWay: readonly Member[], isDone: boolean): (one: Member) => boolean {
  const begun = new Set(underWay.map(({ namespace }) => namespace));
  return ({ first, namespace }) => first === true && !isDone && !begun.has(namespace);
}

/** A member without a mark sorts after all others. */
const sinceOf = ({ rollout }: Member): string | undefined =>
  rollout?.reason === 'RolledOut' ? undefined : rollout?.statusSince;
