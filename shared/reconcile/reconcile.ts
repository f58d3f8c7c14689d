import { setTimeout as delay } from 'node:timers/promises';
import { DeadlineError, messageOf } from '../cluster/errors.ts';
import { within } from '../cluster/time-limit.ts';
import { findingOf } from '../plan/finding.ts';
import { isWrite, type Outcome } from '../plan/outcome.ts';
import { isExposed } from '../plan/plan.ts';
import type { Pruning } from '../plan/pruning.ts';
import { gated } from '../plan/rollout.ts';
import { type Prune, schedule } from '../plan/schedule.ts';
import {
  conclude,
  concludeUnwritten,
  type Done,
  giveUp,
  noResult,
  outcomesOf,
} from './conclude.ts';
import { perform } from './perform.ts';
import { planResource } from './plan-resource.ts';
import { keyOfResource } from './read.ts';
import { countConflict, maxConflicts, refresh } from './refresh.ts';
import { settleMark, takeTurn } from './rollout-marks.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { beginState, type LiveWorld, type ReconcileState } from './state.ts';
import { recallChildren, withUnwritten } from './unwritten.ts';

/** What one run did for one resource. */
export interface Result extends Done {
  /** `websites.kubecon.my.domain default/shop` */
  readonly key: string;
  readonly namespace: string;
  readonly outcomes: readonly Outcome[];
  readonly wrote: boolean;
  /** Its share of the time was over before everything was done. */
  readonly cutOff: boolean;
  /** Another run was met at it before anything was written: it is left to be resumed. */
  readonly met: boolean;
}

export interface ReconcileOptions {
  /** Whether children in a namespace that the resource no longer wants may be deleted. */
  readonly prune: Pruning['allows'];
  /** It is planned once: a conflict ends its run, so only what was previewed is done. */
  readonly once?: boolean;
  /** Only writes the status that was left unwritten, unless the resource has been edited. */
  readonly onlyStatus?: boolean;
  /** Where another run is met at work on it before anything is written, it is left to be resumed. */
  readonly mayLeave?: boolean;
}

/** One resource in its turn; times in milliseconds. */
export interface Turn extends ReconcileOptions {
  /** Until when the specification counts as fresh, since the epoch. */
  readonly freshUntil: number;
  /** Called where a conflict shows another run at work on the resource. */
  readonly onOtherRun?: () => void;
  /** How long its children may take: after it, no request for them is begun or waited for. */
  readonly timeoutMs: number;
}

/** Time for a resource's Events and status, beyond its share. */
export const commitMs = 5_000;

/**
 * Brings the children of one resource to their desired state and reports it in the status.
 *
 * Flow: plan → perform → prune → Events → commit. After a conflict, what is stale is read again, the
 * child before the resource, and the resource is planned again. A child that meets five conflicts in a
 * row is given up, and the others go on.
 * Guarantees: every write is locked to what it was decided on. If anything was written, a commit detects
 * whether the specification was still the newest. Ends soon after its share of the time. Never throws.
 */
export async function reconcile(run: Run, world: LiveWorld, turn: Turn): Promise<Result> {
  const begun = run.now().getTime();
  const state = beginState(world, turn.freshUntil);
  let done: Done | undefined;
  try {
    done = await retryOnStale(limitTime(run, turn.timeoutMs), state, turn);
  } catch (error) {
    done = { summary: undefined, statusWritten: false, error: messageOf(error) };
  }
  const outcomes = outcomesOf(run, state);
  const isOver = run.now().getTime() - begun >= turn.timeoutMs;
  const isUnfinished =
    done?.error !== undefined || outcomes.some(({ transient }) => transient === true);
  const met = done === undefined;
  const { namespace } = world.resource;
  const key = keyOfResource(world);
  const how = { wrote: state.wrote, cutOff: isOver && isUnfinished, met };
  return { key, namespace, outcomes, ...how, ...(done ?? noResult) };
}

interface LimitedRuns {
  /** For the children. */
  readonly run: Run;
  /** For Events and the status. */
  readonly ending: Run;
}

/** A run's shared lists (node ports, Events) are not aborted by one resource's limit: it only stops waiting. */
function limitTime(run: Run, ms: number): LimitedRuns {
  const end = Date.now() + ms;
  const awaited = <T>(what: string, read: () => Promise<T>): Promise<T> =>
    within(end - Date.now(), read, () => new DeadlineError(`the ${what} are not listed yet`));
  const nodePorts: Run['nodePorts'] = () => awaited('Services', () => run.nodePorts(run));
  const repairs: Run['repairs'] = (_, namespace) =>
    awaited('Events', () => run.repairs(run, namespace));
  const withTimeout = (timeout: number): Run => ({
    ...run,
    nodePorts,
    repairs,
    cluster: run.cluster.withTimeout(timeout),
  });
  return { run: withTimeout(ms), ending: withTimeout(ms + commitMs) };
}

/** Bounds the attempts when child and resource keep changing in turn. */
const maxAttempts = 100;

/** Attempts it until nothing is stale, or gives up after too many attempts; undefined if it is left for now. */
async function retryOnStale(
  runs: LimitedRuns,
  state: ReconcileState,
  options: Omit<Turn, 'timeoutMs'>,
): Promise<Done | undefined> {
  let conflicts = 0;
  try {
    for (let attempts = 1; ; attempts++) {
      const isFirst = attempts === 1;
      const act = isFirst && options.onlyStatus ? writeUnwritten : planAndPerform;
      const { done, stale } = await attempt(() => act(runs, state, options));
      if (stale === undefined) return done;
      const child = stale.sibling?.child ?? stale.decision?.child;
      if (child === undefined) conflicts++;
      if (options.once || conflicts === maxConflicts || attempts === maxAttempts) throw stale;
      // With jitter, so that two runs do not keep conflicting.
      await delay(10 + Math.random());
      const { contended } = state;
      // Closing an exposure does not wait for a run that may die.
      const mayLeave = options.mayLeave === true && !isExposed(state.world);
      const refreshed = await refresh(runs.run, state, stale, mayLeave);
      if (state.contended && !contended) options.onOtherRun?.();
      if (refreshed === 'met') return undefined;
      if (refreshed === 'gone') return noResult;
      if (child !== undefined) countConflict(state, child, stale.sibling?.paths);
    }
  } catch (error) {
    const hasGivenUp = error instanceof StaleError || error instanceof DeadlineError;
    if (!hasGivenUp || options.once) throw error;
    return giveUp(runs.ending, state, error);
  }
}

/** `stale` is set if something has changed meanwhile. */
async function attempt(
  act: () => Promise<Done>,
): Promise<{ readonly done: Done; readonly stale?: StaleError }> {
  try {
    return { done: await act() };
  } catch (error) {
    if (!(error instanceof StaleError)) throw error;
    return { done: noResult, stale: error };
  }
}

const writeUnwritten = ({ ending }: LimitedRuns, state: ReconcileState): Promise<Done> =>
  concludeUnwritten(ending, state);

/** Plans and performs once. */
async function planAndPerform(
  { run, ending }: LimitedRuns,
  state: ReconcileState,
  { prune, once = false }: ReconcileOptions,
): Promise<Done> {
  const { outcomes, world } = state;
  world.resource = withUnwritten(run, world.resource);
  if (await recallChildren(run, world)) state.expectsDeletions = true;
  for (const [key, outcome] of outcomes) if (!isWrite(outcome)) outcomes.delete(key);
  const { planned, part } = gated(await planResource(run, state), world, {
    ...run.rollout,
    now: run.now(),
    policy: run.rollout,
  });
  // How many have their turn in a rollout is bounded already.
  const mayDelete: Prune = (namespace) =>
    prune(state.world.resource, namespace, state.expectsDeletions || part === 'proceeds');
  if (planned.state === 'deleting' || planned.state === 'unseen') return noResult;
  if (part === 'proceeds') await takeTurn(ending, state);
  if (planned.state === 'planned')
    for (const decision of schedule(planned, outcomes, mayDelete))
      await perform(run, state, decision, { replans: !once });
  const found = findingOf(state.world, planned, [...outcomes.values()]);
  if (run.rollout !== undefined && found !== undefined)
    await settleMark(ending, state, { part, summary: found.summary });
  return { summary: found?.summary, statusWritten: await conclude(ending, state, { found }) };
}
