import pMap from 'p-map';
import { commandLineName, titleOf } from '../kubernetes.ts';
import { desiredOf } from '../plan/decision/desired.ts';
import { describeActor } from '../plan/status/attribution.ts';
import { describe } from '../plan/status/kubernetes-events.ts';
import { keyOfResource } from '../reading/read.ts';
import { type ReconcileOptions, type Result, reconcile } from '../resource/reconcile.ts';
import { firstTryOf, shareOf } from '../run/fairness.ts';
import { type Run, withOwnMemory } from '../run/run.ts';
import { type LiveWorld, maxAgeMs } from '../run/state.ts';
import { oneByOne } from './one-by-one.ts';
import { maxFailuresOfOne } from './report.ts';

export interface RunOptions extends ReconcileOptions {
  readonly concurrency: number;
  /** When the worlds were read, or earlier, in milliseconds since the epoch. */
  readonly readAt: number;
}

/**
 * Reconciles the worlds. A result is undefined for a resource that was not begun before the deadline.
 *
 * Guarantees: no resource takes longer than its share of the time (`shareOf`), so one that fails or hangs
 * leaves time for the others. Resources with large children are reconciled one at a time, across all runs of
 * the process, and take no slots.
 */
export async function reconcileAll(run: Run, worlds: readonly LiveWorld[], options: RunOptions) {
  const { concurrency: slots, readAt } = options;
  const undone: string[] = [];
  const timeLeft = (): number => run.limits.deadline - run.clients.now().getTime();
  const total = timeLeft();
  const again = run.policy.trigger === 'settle';
  // A run that plans once is never resumed, so its first write may take all of the time.
  const firstTryMs = options.once ? Number.POSITIVE_INFINITY : firstTryOf(total);
  const limits = again ? {} : { firstTryMs };
  const waiting = { small: worlds.length, large: 0 };
  let done = 0;
  const leave = (world: LiveWorld): undefined => {
    undone.push(keyOfResource(world));
  };
  const take = async (world: LiveWorld, size: Size): Promise<Result | undefined> => {
    const left = timeLeft();
    if (left <= 0) return leave(world);
    const own = withOwnMemory(run);
    const lane = { slots: size === 'large' ? 1 : slots, waiting: waiting[size]-- };
    const timeoutMs = shareOf({ left, total, ...lane, again });
    try {
      const turn = { ...options, freshUntil: readAt + maxAgeMs, timeoutMs, ...limits };
      const act = () => reconcile(own, world, turn);
      return withoutDifferences(log(run, await traced(run, world, act)));
    } finally {
      // Releases the memory of the world, which is outdated now.
      world.children.clear();
      own.limits.memory.close();
      run.clients.observer?.onProgress?.(++done, worlds.length);
    }
  };
  const alone = oneByOne<Result | undefined>(run);
  const queue = (world: LiveWorld): Promise<Result | undefined> => {
    waiting.small--;
    waiting.large++;
    return alone(async (isInTime) => (isInTime ? take(world, 'large') : leave(world)));
  };
  // Wraps the promise, so that the slot of a large resource is free while it waits for its turn.
  const begin = async (world: LiveWorld) =>
    sizeOf(world) === 'large' ? { result: queue(world) } : { result: await take(world, 'small') };
  const begun = await pMap(worlds, begin, { concurrency: slots });
  return { results: await Promise.all(begun.map(({ result }) => result)), undone };
}

function traced(run: Run, world: LiveWorld, act: () => Promise<Result>): Promise<Result> {
  const { telemetry } = run.clients;
  if (telemetry === undefined) return act();
  const { namespace, name } = world.resource;
  const { since } = run.policy;
  return telemetry.resource({ kind: world.kind.kind, namespace, name, since }, act);
}

type Size = 'small' | 'large';

/** Limit of a small resource's children, so that all slots together fit into memory. */
const smallBytes = 2 ** 20;

function sizeOf(world: LiveWorld): Size {
  const desired = desiredOf(world);
  return 'children' in desired && desired.bytes > smallBytes ? 'large' : 'small';
}

/** Removes the differences, which contain values of fields and are not needed once logged. */
const withoutDifferences = (result: Result): Result => ({
  ...result,
  outcomes: result.outcomes.map(({ differences: _, ...rest }) => rest),
});

/** Logs one line for each change and each failure. Failures of one resource beyond a limit share a line. */
function log(run: Run, result: Result): Result {
  const { key, outcomes, error } = result;
  let notDone = 0;
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
    const isNotDone = ['failed', 'blocked', 'skipped'].includes(outcome);
    if (outcome === 'unchanged' || (isNotDone && ++notDone > maxFailuresOfOne)) continue;
    if (outcome === 'failed' || outcome === 'blocked')
      run.clients.log.warning(`child ${outcome}`, fields);
    else run.clients.log.info(`child ${outcome}`, fields);
  }
  const more = notDone - maxFailuresOfOne;
  if (more > 0) run.clients.log.warning('more children failed, blocked or skipped', { key, more });
  if (error !== undefined) run.clients.log.warning('resource failed', { key, error });
  return result;
}
