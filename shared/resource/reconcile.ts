import { setTimeout as delay } from 'node:timers/promises';
import { DeadlineError, messageOf } from '../cluster/cluster-errors.ts';
import { keyOf } from '../kubernetes.ts';
import { isWriteDecision } from '../plan/decision/decision.ts';
import { expectedOutcome, keepWrites, type Outcome } from '../plan/decision/outcome.ts';
import { isExposing } from '../plan/exposure/exposing-child.ts';
import { type CompletePlan, decisionsOf, isNoop } from '../plan/plan.ts';
import { type Prune, schedule } from '../plan/schedule.ts';
import { finalizerChange } from '../plan/status/finalizer-change.ts';
import { findingOf } from '../plan/status/finding.ts';
import { keyOfResource } from '../reading/read.ts';
import { type Gated, gated } from '../rollout/gate.ts';
import { settleMark, takeSlot } from '../rollout/marks.ts';
import { shuffled } from '../run/fairness.ts';
import { isLaterPass, type LiveWorld, type Run } from '../run/run.ts';
import {
  addFinalizer,
  conclude,
  type Done,
  giveUp,
  noResult,
  outcomesOf,
  released,
} from './conclude.ts';
import { perform, recordLost } from './perform.ts';
import { planResource } from './plan-resource.ts';
import { countConflict, maxConflicts, refresh } from './refresh.ts';
import { type Share, StaleError, Turn } from './turn.ts';

export interface Result extends Done {
  /** Such as `websites.kubecon.my.domain default/shop`. */
  readonly key: string;
  readonly namespace: string;
  readonly outcomes: readonly Outcome[];
  readonly wrote: boolean;
  /** True if the time of the resource or of a child ran out before everything was done. */
  readonly cutOff: boolean;
  readonly lost?: Turn['lost'];
}

/**
 * Brings the children of one resource to their desired state and reports the result in the status.
 *
 * Flow: plan, perform, prune, remove our finalizer after a clean-up, update the rollout's mark, post Events, commit.
 * After a conflict the child is read again, and the resource, too, if it may have changed. Then everything is planned
 * again. After five conflicts in a row a child is left to a later pass, and the others continue.
 *
 * Guarantees: every write of a child is locked to the version that it was decided on. After a write, the commit detects
 * whether the spec was still the newest. Ends soon after its share of the time. Never throws.
 */
export async function reconcile(run: Run, world: LiveWorld, share: Share): Promise<Result> {
  const turn = new Turn(run, world, share);
  const done = await attemptUntilFresh(turn).catch(
    (error: unknown): Done => ({ ...noResult, error: messageOf(error) }),
  );
  const outcomes = outcomesOf(turn);
  const isUnfinished = done.error !== undefined || outcomes.some(({ transient }) => transient);
  return {
    ...done,
    key: keyOfResource(world),
    namespace: world.resource.namespace,
    outcomes,
    wrote: turn.wrote,
    cutOff: turn.isOver && isUnfinished,
    lost: turn.isOver ? turn.lost : new Map(),
  };
}

/** Maximum number of attempts, in case others keep changing a child while it is written. */
const maxAttempts = 100;

async function attemptUntilFresh(turn: Turn): Promise<Done> {
  let stale: StaleError | undefined;
  let edits = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      const exists = stale === undefined || (await readAgain(turn, stale));
      return exists ? await attempt(turn) : noResult;
    } catch (error) {
      const isStale = error instanceof StaleError;
      if (turn.share.once || !(isStale || error instanceof DeadlineError)) throw error;
      if (isStale && error.target === undefined) edits++;
      const isLast = edits === maxConflicts || attempts === maxAttempts;
      if (!isStale || isLast) return giveUp(turn, error);
      stale = error;
    }
  }
}

async function readAgain(turn: Turn, stale: StaleError): Promise<boolean> {
  // Adds jitter, so that two runs do not keep conflicting.
  await delay(10 * (1 + Math.random()));
  const exists = await refresh(turn, stale);
  if (stale.target !== undefined) countConflict(turn, stale.target, stale.paths);
  return exists;
}

async function attempt(turn: Turn): Promise<Done> {
  const { run, world, share, outcomes, ending } = turn;
  keepWrites(outcomes);
  const whole = await planResource(turn);
  const moment = { now: run.clients.now(), policy: run.policy.rollout };
  const { planned, role } = gated(whole, world, moment);
  if (planned.state === 'deleting') return noResult;
  if (share.onlyStatus) {
    const change = finalizerChange(world, planned, findingOf(world, planned, []));
    if (change !== undefined || !isNoop(planned)) return noResult;
  }
  if (planned.state === 'planned') await performAll(turn, { planned, role });
  const found = await released(turn, planned);
  const { deleting, observeOnly } = world.resource;
  if (found === undefined && deleting) return noResult;
  if (found !== undefined && !deleting && !observeOnly)
    world.resource = await settleMark(ending, world, { role, summary: found.summary });
  return conclude(turn, found);
}

/** Performs the decisions in order. In a rollout, marks the resource before it writes anything but Ingresses. */
async function performAll(turn: Turn, { planned, role }: Gated<CompletePlan>): Promise<void> {
  const { run, world, share, outcomes } = turn;
  if (finalizerChange(world, planned) === 'add' && !(await addFinalizer(turn))) return;
  let needsSlot = role === 'proceeds';
  let waiting = decisionsOf(planned).filter(isWriteDecision).length;
  // A resource that proceeds in a rollout may delete children without being counted: it was counted while it waited.
  const prune: Prune = (namespace) => share.prune(world.resource, namespace, role === 'proceeds');
  const ordered = isLaterPass(run) ? reordered(planned, run.policy.seed) : planned;
  for (const decision of schedule(ordered, outcomes, prune)) {
    if (!isWriteDecision(decision)) {
      // A child that is up to date shows that an earlier write without a response was carried out.
      if (decision.verb === 'none') recordLost(turn, decision.child);
      turn.record(expectedOutcome(decision));
      continue;
    }
    if (needsSlot && !isExposing(decision.type)) {
      const marked = await takeSlot(turn.ending, world);
      if (marked === undefined)
        throw new StaleError(`begin the rollout of ${keyOfResource(world)}`);
      world.resource = marked;
      needsSlot = false;
    }
    turn.limitWrite(waiting--);
    await perform(turn, decision);
  }
  sortOutcomes(outcomes, planned);
}

/** Shuffles the children, because the first that hangs may take all the time. */
const reordered = (planned: CompletePlan, seed: number): CompletePlan => ({
  ...planned,
  decisions: shuffled(planned.decisions, seed, ({ child }) => keyOf(child)),
});

/** Sorts outcomes in the plan's order, so that messages of conditions do not depend on the order of the writes. */
function sortOutcomes(outcomes: Turn['outcomes'], planned: CompletePlan): void {
  for (const { child } of decisionsOf(planned)) {
    const outcome = outcomes.get(keyOf(child));
    if (outcome === undefined) continue;
    outcomes.delete(keyOf(child));
    outcomes.set(keyOf(child), outcome);
  }
}
