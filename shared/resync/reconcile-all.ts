import pMap from 'p-map';
import { commandLineName, titleOf } from '../kubernetes.ts';
import { describeActor } from '../plan/status/attribution.ts';
import { describe } from '../plan/status/kubernetes-events.ts';
import { keyOfResource } from '../reading/read.ts';
import { type ReconcileOptions, type Result, reconcile } from '../resource/reconcile.ts';
import { shareOf } from '../run/fairness.ts';
import { type Run, withOwnMemory } from '../run/run.ts';
import { type LiveWorld, maxAgeMs } from '../run/state.ts';
import { maxFailuresOfOne } from './report.ts';

export interface RunOptions extends ReconcileOptions {
  readonly concurrency: number;
  /** A time no later than the first read of the worlds, in milliseconds since the epoch. */
  readonly readAt: number;
}

/**
 * Reconciles the worlds. A result is undefined for a resource that was not begun before the deadline.
 *
 * Guarantees: no resource takes longer than its share of the time (`shareOf`), so one that fails or hangs
 * leaves time for the others.
 */
export async function reconcileAll(run: Run, worlds: readonly LiveWorld[], options: RunOptions) {
  const { concurrency: slots, readAt } = options;
  const undone: string[] = [];
  const timeLeft = (): number => run.limits.deadline - run.clients.now().getTime();
  const total = timeLeft();
  let waiting = worlds.length;
  let done = 0;
  const take = async (world: LiveWorld): Promise<Result | undefined> => {
    const left = timeLeft();
    if (left <= 0) {
      undone.push(keyOfResource(world));
      return undefined;
    }
    const own = withOwnMemory(run);
    const timeoutMs = shareOf({ left, total, slots, waiting: waiting-- });
    try {
      const turn = { ...options, freshUntil: readAt + maxAgeMs, timeoutMs };
      return withoutDifferences(log(run, await reconcile(own, world, turn)));
    } finally {
      // The world is outdated now, so its memory is released.
      world.children.clear();
      own.limits.memory.close();
      run.clients.observer?.onProgress?.(++done, worlds.length);
    }
  };
  return { results: await pMap(worlds, take, { concurrency: slots }), undone };
}

/** Differences hold the values of fields, which are not needed once logged. */
const withoutDifferences = (result: Result): Result => ({
  ...result,
  outcomes: result.outcomes.map(({ differences: _, ...rest }) => rest),
});

/** Logs one line for each change and each failure; beyond a limit the failures of one resource share a line. */
function log(run: Run, result: Result): Result {
  const { key, outcomes, error } = result;
  let failed = 0;
  for (const { child, result: outcome, reason, message, differences, by, origin } of outcomes) {
    const changes = by === undefined ? differences?.map(describe) : [`deleted${describeActor(by)}`];
    const fields = {
      key,
      child: titleOf(child),
      object: commandLineName(child),
      outcome,
      origin,
      reason,
      error: message,
      changes,
    };
    if (outcome === 'failed' || outcome === 'blocked') {
      if (++failed <= maxFailuresOfOne) run.clients.log.warning(`child ${outcome}`, fields);
    } else if (outcome !== 'unchanged') run.clients.log.info(`child ${outcome}`, fields);
  }
  const more = failed - maxFailuresOfOne;
  if (more > 0) run.clients.log.warning('more children failed or blocked', { key, more });
  if (error !== undefined) run.clients.log.warning('resource failed', { key, error });
  return result;
}
