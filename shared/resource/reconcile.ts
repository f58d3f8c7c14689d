import { setTimeout as delay } from 'node:timers/promises';
import { DeadlineError, messageOf } from '../cluster/cluster-errors.ts';
import { present } from '../json.ts';
import { keyOf } from '../kubernetes.ts';
import { isWriteDecision } from '../plan/decision/decision.ts';
import { isWrite, type Outcome } from '../plan/decision/outcome.ts';
import { isExposing } from '../plan/exposure/exposing-child.ts';
import type { ObservedResource } from '../plan/observed/observed.ts';
import { type CompletePlan, decisionsOf, isNoop } from '../plan/plan.ts';
import type { Pruning } from '../plan/pruning.ts';
import { afterNeeds, type Prune, schedule } from '../plan/schedule.ts';
import { afterCleanUp, finalizerChange } from '../plan/status/finalizer-change.ts';
import { findingOf } from '../plan/status/finding.ts';
import { keyOfResource } from '../reading/read.ts';
import { type Gated, gated } from '../rollout/gate.ts';
import { settleMark, takeTurn } from '../rollout/marks.ts';
import { limitOfWrite, shuffled } from '../run/fairness.ts';
import { type Run, withTimeout } from '../run/run.ts';
import { beginState, type LiveWorld, type LostWrite, type ReconcileState } from '../run/state.ts';
import { conclude, type Done, giveUp, noResult, outcomesOf } from './conclude.ts';
import { addFinalizer, removeFinalizer } from './finalizer.ts';
import { perform } from './perform.ts';
import { planResource } from './plan-resource.ts';
import { countConflict, maxConflicts, recordLostWrites, refresh } from './refresh.ts';
import { StaleError } from './stale.ts';

/** The result of one run for one resource. */
export interface Result extends Done {
  /** Such as `websites.kubecon.my.domain default/shop`. */
  readonly key: string;
  readonly namespace: string;
  readonly outcomes: readonly Outcome[];
  readonly wrote: boolean;
  /** True if the time of the resource or of a child ran out before everything was done. */
  readonly cutOff: boolean;
  /** Writes whose response was lost, by child; they may have been carried out. */
  readonly lost?: ReadonlyMap<string, LostWrite>;
}

export interface ReconcileOptions {
  /** Reports whether the resource's unwanted children in a namespace may be deleted. */
  readonly prune: Pruning['allows'];
  /** Plans only once, so that nothing is done that a preview did not show: a conflict ends the resource's run. */
  readonly once?: boolean;
  /** Writes only the status, and only if the children are as wanted. */
  readonly onlyStatus?: boolean;
}

/** One resource's share of a run; times in milliseconds. */
export interface Turn extends ReconcileOptions {
  /** Time since the epoch until which the spec counts as fresh. */
  readonly freshUntil: number;
  /** Time for the children. After it, requests for them are neither begun nor waited for. */
  readonly timeoutMs: number;
  /** Time for one write, so that after a write that hangs there is time for the next. Default: `timeoutMs`. */
  readonly firstTryMs?: number;
}

/** Time for a resource's Events and status, in addition to its share. */
const commitMs = 5_000;

/**
 * Brings the children of one resource to their desired state and reports that in the status.
 *
 * Flow: plan, perform, prune, post Events, commit. After a conflict the child is read again, then the
 * resource, and the resource is planned again. After five conflicts in a row a child is left to the next run,
 * and the others continue. Guarantees: every write is locked to the version that it was decided on. If
 * anything was written, a commit detects whether the spec was still the newest. Ends soon after its share of
 * the time. Never throws.
 */
export async function reconcile(run: Run, world: LiveWorld, turn: Turn): Promise<Result> {
  const begun = run.clients.now().getTime();
  const state = beginState(world, turn.freshUntil, run.policy.lost?.get(keyOfResource(world)));
  const done = await retryOnStale(limitTime(run, turn), state, turn).catch((error: unknown) => ({
    ...noResult,
    error: messageOf(error),
  }));
  const outcomes = outcomesOf(run, state);
  const isOver =
    run.clients.now().getTime() - begun >= turn.timeoutMs ||
    (state.unanswered && turn.firstTryMs !== undefined);
  const isUnfinished = done.error !== undefined || outcomes.some(({ transient }) => transient);
  return {
    ...done,
    key: keyOfResource(world),
    namespace: world.resource.namespace,
    outcomes,
    wrote: state.wrote,
    cutOff: isOver && isUnfinished,
    ...(state.lost.size > 0 ? { lost: state.lost } : {}),
  };
}

/** Limit of attempts, in case child and resource keep changing in turn. */
const maxAttempts = 100;

/** Plans and performs until nothing is stale. Gives up, and says so in the status, when time or attempts run out. */
async function retryOnStale(
  limited: LimitedRuns,
  state: ReconcileState,
  options: Turn,
): Promise<Done> {
  let stale: StaleError | undefined;
  let edits = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      if (stale !== undefined && !(await readAgain(limited.run, state, stale))) return noResult;
      return await planAndPerform(limited, state, options);
    } catch (error) {
      const isStale = error instanceof StaleError;
      if (options.once || !(isStale || error instanceof DeadlineError)) throw error;
      if (isStale && error.target === undefined) edits++;
      const isLast = edits === maxConflicts || attempts === maxAttempts;
      if (!isStale || isLast) return giveUp(limited.ending, state, error);
      stale = error;
    }
  }
}

/** Plans a resource, performs the plan and concludes it. */
async function planAndPerform(
  limits: LimitedRuns,
  state: ReconcileState,
  turn: Turn,
): Promise<Done> {
  const { run, asking, ending } = limits;
  const { outcomes, world } = state;
  const { rollout } = run.policy;
  for (const [key, outcome] of outcomes) if (!isWrite(outcome)) outcomes.delete(key);
  const { planned, part } = gated(await planResource(run, state, asking), world, {
    now: run.clients.now(),
    policy: rollout,
  });
  if (planned.state === 'deleting' || planned.state === 'unseen') return noResult;
  const isUnchanged =
    isNoop(planned) && finalizerChange(world, planned, findingOf(world, planned, [])) === undefined;
  if (turn.onlyStatus && !isUnchanged) return noResult;
  if (planned.state === 'planned') recordLostWrites(state, planned);
  const isHeld = finalizerChange(world, planned) !== 'add' || (await addFinalizer(ending, state));
  if (planned.state === 'planned' && isHeld)
    await performAll(limits, state, { planned, part }, turn);
  const find = () => findingOf(world, planned, [...outcomes.values()]);
  let found = find();
  if (finalizerChange(world, planned, found) === 'remove')
    found = (await removeFinalizer(ending, state, found))
      ? found && afterCleanUp(world.resource, found)
      : find();
  if (found === undefined && world.resource.deleting) return noResult;
  const isIdle = world.resource.deleting || world.resource.observed;
  if (rollout !== undefined && found !== undefined && !isIdle)
    world.resource = await settleMark(ending, world, { part, summary: found.summary });
  const statusWritten = await conclude(ending, state, { found });
  const error = planned.state === 'invalid' && planned.broken ? planned.message : undefined;
  return { summary: found?.summary, statusWritten, ...present({ error }) };
}

/** Performs a plan in order. An exposure is closed even before the resource's turn in a rollout. */
async function performAll(
  { run, writing, ending }: LimitedRuns,
  state: ReconcileState,
  { planned, part }: Gated<CompletePlan>,
  { prune, once = false, firstTryMs }: Turn,
): Promise<void> {
  const { outcomes, world } = state;
  // Allows expected deletions: a rollout limits how many resources are changed at a time.
  const mayDelete: Prune = (namespace) => prune(world.resource, namespace, part === 'proceeds');
  const ordered = firstTryMs === undefined ? reordered(planned, run.limits.deadline) : planned;
  let waiting = decisionsOf(planned).filter(isWriteDecision).length;
  let needsTurn = part === 'proceeds';
  for (const decision of schedule(ordered, outcomes, mayDelete)) {
    if (needsTurn && !isExposing(decision.type)) {
      world.resource = await turnOf(ending, world);
      needsTurn = false;
    }
    const limited = isWriteDecision(decision) ? writing(waiting--) : run;
    await perform(run, state, decision, { replans: !once, writing: limited });
  }
  sortOutcomes(outcomes, planned);
}

/** Sorts outcomes as planned, so that conditions have the same text whatever the order of the writes. */
function sortOutcomes(outcomes: ReconcileState['outcomes'], planned: CompletePlan): void {
  for (const key of decisionsOf(planned).map(({ child }) => keyOf(child))) {
    const outcome = outcomes.get(key);
    outcomes.delete(key);
    if (outcome !== undefined) outcomes.set(key, outcome);
  }
}

/** Shuffles the wanted children, because the first one that hangs may take all the time. */
const reordered = (planned: CompletePlan, seed: number): CompletePlan => ({
  ...planned,
  decisions: afterNeeds(shuffled(planned.decisions, seed, ({ child }) => keyOf(child))),
});

/** Marks the resource as being changed by a rollout. */
async function turnOf(run: Run, world: LiveWorld): Promise<ObservedResource> {
  const marked = await takeTurn(run, world);
  if (marked !== undefined) return marked;
  throw new StaleError(`begin the rollout of ${keyOfResource(world)}`);
}

/** Reads again what is stale. Returns false if the resource is gone. */
async function readAgain(run: Run, state: ReconcileState, stale: StaleError): Promise<boolean> {
  // Adds jitter, so that two runs do not keep conflicting.
  await delay(10 + Math.random());
  const exists = await refresh(run, state, stale);
  if (stale.target !== undefined) countConflict(state, stale.target, stale.paths);
  return exists;
}

/**
 * A run with the time limits of one resource:
 * - `run`: for its children;
 * - `asking`: for dry runs, until half of the time is over;
 * - `writing`: for the next one of `waiting` writes;
 * - `ending`: for Events and status, a little longer.
 */
interface LimitedRuns {
  readonly run: Run;
  readonly writing: (waiting: number) => Run;
  readonly asking: () => Run;
  readonly ending: Run;
}

function limitTime(run: Run, { timeoutMs: ms, firstTryMs }: Turn): LimitedRuns {
  const begun = Date.now();
  const half = begun + ms / 2;
  const own = withTimeout(run, ms);
  const limited = (firstTry: number, waiting: number): Run =>
    withTimeout(own, limitOfWrite(firstTry, begun + ms - Date.now(), waiting));
  return {
    run: own,
    writing: (waiting) => (firstTryMs === undefined ? own : limited(firstTryMs, waiting)),
    asking: () => withTimeout(run, half - Date.now()),
    ending: withTimeout(run, ms + commitMs),
  };
}
