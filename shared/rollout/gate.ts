import type { Impact } from '../kinds/impact.ts';
import type { RolloutPolicy } from '../kinds/rollout-budget.ts';
import { keyOf, titleOf } from '../kubernetes.ts';
import {
  type Decision,
  insteadOf,
  isWriteDecision,
  postponedIn,
} from '../plan/decision/decision.ts';
import { impactOf } from '../plan/decision/decision-impact.ts';
import { restoreOf } from '../plan/decision/dependencies.ts';
import { originOf } from '../plan/decision/origin.ts';
import { rolloutTargetOf } from '../plan/decision/target.ts';
import { isExposing } from '../plan/exposure/exposing-child.ts';
import { type ConditionSummary, readyOf } from '../plan/observed/conditions.ts';
import { isUnderWay, type MarkReason } from '../plan/observed/rollout-mark.ts';
import { hasUnlisted, type World } from '../plan/observed/world.ts';
import type { CompletePlan, Plan } from '../plan/plan.ts';

export interface Gated<P extends Plan = Plan> {
  readonly planned: P;
  /**
   * The resource's role in the rollout:
   * - `none`: no rollout applies, the code changes nothing disruptive, or the resource has been unready for a long time
   * - `waits`: for a slot
   * - `proceeds`: has a slot and is changed now
   */
  readonly role: 'none' | 'waits' | 'proceeds';
}

/**
 * Holds back changes that only the kind's code causes, until the resource has a slot in a rollout.
 *
 * Guarantees: delays no creation, no repair, and no change that an edit or a referenced object causes, except:
 * - the creation of a step that a delayed change needs: the old version of the application may be unable to run after
 *   the step;
 * - writes that wait for a delayed child, and creations of new children that need a delayed child.
 *
 * Delays a harmless change only together with a disruptive change of the same resource, because children of one version
 * belong together. Never holds back an Ingress: its writes have an order of their own (`exposureSteps`).
 */
export function gated<P extends Plan>(
  planned: P,
  world: World,
  { now, policy }: { now: Date; policy: Pick<RolloutPolicy, 'timeoutMs'> | undefined },
): Gated<P | CompletePlan> {
  if (policy === undefined || planned.state !== 'planned' || world.resource.deleting)
    return { planned, role: 'none' };
  const all = [...planned.decisions, ...planned.deletions].map(writeOf);
  const disruptive = all.filter((one) => isByCode(one, world) && isDisruptive(one, world));
  if (disruptive.length === 0) return { planned, role: 'none' };
  if (isUnderWay(world.resource.rollout)) return { planned, role: 'proceeds' };
  const ready = readyOf(world.resource);
  const isLong =
    ready?.status === 'False' && isOlder(ready.lastTransitionTime, policy.timeoutMs, now);
  if (isLong && disruptive.every((one) => isUnready(one, world))) return { planned, role: 'none' };
  return { planned: heldBack(planned, world), role: 'waits' };
}

const writeOf = (decision: Decision): Decision => postponedIn(decision)?.write ?? decision;

/** Moves waiting deletions to `decisions`, because `schedule` does not expect a `hold` among `deletions`. */
function heldBack(planned: CompletePlan, world: World): CompletePlan {
  const held = heldIn(planned, world);
  const waits = ({ child }: Decision): boolean => held.has(keyOf(child));
  return {
    ...planned,
    decisions: [
      ...planned.decisions.map((one) => (waits(one) ? (repairOf(one, world) ?? hold(one)) : one)),
      ...planned.deletions.filter(waits).map(hold),
    ],
    deletions: planned.deletions.filter((one) => !waits(one)),
  };
}

/**
 * Returns the keys of the children to hold back:
 * - children that change only because of the kind's code;
 * - new steps that these children need;
 * - all children that wait for a held-back child, and new children that need a held-back child.
 */
function heldIn({ decisions, deletions, steps = [] }: CompletePlan, world: World) {
  const byCode = [...decisions, ...deletions].filter((one) => isByCode(writeOf(one), world));
  const held = new Set(byCode.map(({ child }) => keyOf(child)));
  const waiting = decisions.flatMap((one) => {
    const needs = one.verb === 'create' && !one.existed ? (one.needs ?? []) : [];
    const until = postponedIn(one)?.until ?? [];
    return [needs, until].flat().map((need) => ({ key: keyOf(one.child), until: keyOf(need) }));
  });
  const created = new Set(
    decisions.filter(({ verb }) => verb === 'create').map(({ child }) => keyOf(child)),
  );
  for (const { key, until } of waiting)
    if (held.has(key) && created.has(until) && steps.includes(until)) held.add(until);
  for (let count = -1; count !== held.size; ) {
    count = held.size;
    for (const { key, until } of waiting) if (held.has(until)) held.add(key);
  }
  return held;
}

/** Restores the last applied fields of a child whose change waits; undefined if unnecessary. */
function repairOf(decision: Decision, world: World): Decision | undefined {
  const write = writeOf(decision);
  const observed = world.children.get(keyOf(write.child));
  const repair = restoreOf({ decision: write, observed }, world);
  return repair && isWriteDecision(write) ? { ...repair, postponed: { write } } : undefined;
}

const hold = (decision: Decision): Decision =>
  insteadOf(decision, {
    verb: 'hold',
    reason: 'RolloutPending',
    message: `${titleOf(decision.child)} waits for a slot in the rollout, because only the kind's code has changed`,
  });

const isByCode = (decision: Decision, world: World): boolean =>
  (decision.verb === 'update' || decision.verb === 'delete') &&
  !isExposing(decision.type) &&
  originOf(decision, world) === 'code';

const isDisruptive = (decision: Decision, world: World): boolean =>
  isWriteDecision(decision) && isDisruptiveImpact(impactOf(decision, world));

/** Returns false for a change that closes an exposure (it never waits) or only opens one (that disrupts nothing). */
export const isDisruptiveImpact = (impact: readonly Impact[]): boolean =>
  !impact.includes('close') && impact.some((one) => one !== 'open');

const isUnready = ({ child }: Decision, { children }: World): boolean =>
  (children.get(keyOf(child))?.readiness.state ?? 'Current') !== 'Current';

export const isOlder = (time: string, ms: number, now: Date): boolean =>
  now.getTime() - Date.parse(time) > ms;

/** A Ready resource keeps its mark for this long, unless a run of this version has written the children. */
const unwrittenMs = 60_000;

/** Returns the next mark; `none` to remove it, undefined to leave it as it is. */
export function nextMark(
  world: World,
  { role, summary, now }: Pick<Gated, 'role'> & Readonly<{ summary: ConditionSummary; now: Date }>,
): MarkReason | 'none' | undefined {
  const { resource, children } = world;
  const { rollout } = resource;
  const reason = rollout?.reason;
  // Leaves the mark, because a child that could not be listed may still have to change.
  if (hasUnlisted(world)) return undefined;
  if (role === 'waits')
    return reason === undefined || reason === 'RolledOut' ? 'Waiting' : undefined;
  const isForeign = rollout === undefined && resource.markAt !== undefined;
  if (reason === 'Waiting' || reason === 'Starting' || isForeign) return 'none';
  if (rollout === undefined || !isUnderWay(rollout) || summary.state !== 'Ready') return undefined;
  // Keeps a mark with another target for a minute, because the run of another version that set it may yet write.
  const isOwn = rollout.target === rolloutTargetOf(world);
  const isWritten =
    isOwn && [...children.values()].some(({ ours }) => (ours?.time ?? '') >= rollout.since);
  if (!isWritten && !isOlder(rollout.since, unwrittenMs, now)) return undefined;
  // Removes the mark of another version, because it proves nothing about this version.
  return isOwn ? 'RolledOut' : 'none';
}
