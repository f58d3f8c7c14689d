import type { Impact } from '../kinds/impact.ts';
import type { RolloutPolicy } from '../kinds/rollout-budget.ts';
import { titleOf } from '../kubernetes.ts';
import { type Decision, isWriteDecision, type NoWriteDecision } from '../plan/decision/decision.ts';
import { impactOf } from '../plan/decision/impact.ts';
import { originOf } from '../plan/decision/origin.ts';
import { targetOf } from '../plan/decision/stamped.ts';
import { isExposing } from '../plan/exposure/exposing-child.ts';
import { type ConditionSummary, readyOf } from '../plan/observed/conditions.ts';
import { isUnderWay, type MarkReason } from '../plan/observed/rollout-mark.ts';
import { keyOf, type World } from '../plan/observed/world.ts';
import type { CompletePlan, Plan } from '../plan/plan.ts';

/** A plan with what has to wait, and how the resource takes part in a rollout. */
export interface Gated<P extends Plan = Plan> {
  readonly planned: P;
  /**
   * `none`: the code changes nothing disruptive; `waits`: it waits for its turn; `proceeds`: it has its turn, and is
   * changed now; `down`: it is changed now, as it is not working anyway.
   */
  readonly part: 'none' | 'waits' | 'proceeds' | 'down';
}

/**
 * Holds back what only the code of the kind changes, unless the resource has its turn.
 *
 * Guarantees: creations, edits, repairs and what follows read objects go at once; so does what is not
 * disruptive, except beside what waits, as children of one version are made for each other. What exposes
 * paths has an order of its own, and closing never waits.
 */
export function gated(planned: Plan, world: World, at: Moment): Gated {
  const { now, policy } = at;
  if (policy === undefined || planned.state !== 'planned') return { planned, part: 'none' };
  const all = [...planned.decisions, ...planned.deletions];
  const disruptive = all.filter((one) => isByCode(one, world) && isDisruptive(one));
  if (disruptive.length === 0) return { planned, part: 'none' };
  if (mayChange(world, at)) return { planned, part: 'proceeds' };
  const { timeoutMs } = policy;
  if (disruptive.every((one) => isDown(one, world, { now, timeoutMs })))
    return { planned, part: 'down' };
  return { planned: heldBack(planned, world), part: 'waits' };
}

export interface Moment {
  readonly now: Date;
  /** The versions of the resources that this run has chosen, by uid, and seen to fit the budget. */
  readonly chosen?: ReadonlyMap<string, string> | undefined;
  /** Undefined where changes of a kind's code are not spread. */
  readonly policy: Pick<RolloutPolicy, 'timeoutMs'> | undefined;
}

const mayChange = ({ resource }: World, { chosen }: Moment): boolean =>
  isUnderWay(resource.rollout) || chosen?.get(resource.uid) === resource.resourceVersion;

/** Held deletions are among the decisions, as nothing is performed for them. */
function heldBack(planned: CompletePlan, world: World): CompletePlan {
  const waits = (one: Decision): boolean => isByCode(one, world);
  return {
    ...planned,
    decisions: [
      ...planned.decisions.map((one) => (waits(one) ? hold(one) : one)),
      ...planned.deletions.filter(waits).map(hold),
    ],
    deletions: planned.deletions.filter((one) => !waits(one)),
  };
}

const hold = ({ type, child, namespace }: Decision): NoWriteDecision => ({
  type,
  child,
  namespace,
  verb: 'hold',
  reason: 'RolloutPending',
  message: `${titleOf(child)} waits for its turn, as only the kind's code has changed`,
});

/** Whether an existing child changes only because of the kind's code. */
const isByCode = (decision: Decision, world: World): boolean =>
  (decision.verb === 'update' || decision.verb === 'delete') &&
  !isExposing(decision.type) &&
  originOf(decision, world) === 'code';

function isDisruptive(decision: Decision): boolean {
  const impact = isWriteDecision(decision) ? impactOf(decision) : [];
  return impact.some((one) => disruptiveImpacts.includes(one)) && !impact.includes('close');
}

const disruptiveImpacts: readonly Impact[] = [
  'data-loss',
  'interrupt',
  'recreate',
  'restart',
  'reroute',
  'unknown',
];

/** A child that has been unready for long is not disrupted by a change. */
function isDown(
  { child }: Decision,
  { children, resource }: World,
  at: { readonly now: Date; readonly timeoutMs: number },
): boolean {
  const { state } = children.get(keyOf(child))?.readiness ?? { state: 'Current' };
  const ready = readyOf(resource);
  const isLong =
    ready?.status === 'False' && isOlder(ready.lastTransitionTime, at.timeoutMs, at.now);
  return state !== 'Current' && isLong;
}

export const isOlder = (time: string, ms: number, now: Date): boolean =>
  now.getTime() - Date.parse(time) > ms;

/** A mark that was set, and of which no write followed, is given up after this time. */
const unwrittenMs = 60_000;

/** The mark that the resource should get after this run; undefined if it keeps its own, or has none. */
export function nextMark(
  world: World,
  {
    part,
    summary,
    now,
  }: Pick<Gated, 'part'> & {
    readonly summary: ConditionSummary;
    readonly now: Date;
  },
): MarkReason | 'none' | undefined {
  const { resource, children } = world;
  const { rollout } = resource;
  const reason = rollout?.reason;
  if (part === 'waits')
    return reason === undefined || reason === 'RolledOut' ? 'Waiting' : undefined;
  if (reason === 'Waiting' || reason === 'Starting') return 'none';
  if (rollout === undefined || !isUnderWay(rollout) || summary.state !== 'Ready') return undefined;
  // A run of another version of the code may see nothing to do, while the run that set it is about to write.
  const isOwn = rollout.target === targetOf(world);
  const isWritten =
    isOwn && [...children.values()].some(({ ours }) => (ours?.time ?? '') >= rollout.since);
  if (!isWritten && !isOlder(rollout.since, unwrittenMs, now)) return undefined;
  // What was never changed to what another version wants proves nothing of that version.
  return isOwn ? 'RolledOut' : 'none';
}
