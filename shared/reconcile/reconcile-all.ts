import type { Kind } from '../kinds/kind.ts';
import { commandLineName, titleOf } from '../kubernetes.ts';
import { describeActor } from '../plan/attribution.ts';
import { describe } from '../plan/kubernetes-events.ts';
import type { Area } from './area.ts';
import { shareOf } from './fairness.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { keyOfResource } from './read.ts';
import { type ReconcileOptions, type Result, reconcile } from './reconcile.ts';
import { openRenewals } from './renewal.ts';
import { maxFailuresOfOne } from './report.ts';
import type { Run } from './run.ts';
import type { Current } from './specifications.ts';
import type { LiveWorld } from './state.ts';

export interface RunOptions extends ReconcileOptions {
  readonly concurrency: number;
  /** No later than the first read of the worlds, in milliseconds since the epoch. */
  readonly readAt: number;
  /** The areas that were surveyed, to list them again in a long run. */
  readonly areas?: readonly Area[];
  /** How many resources of each kind they hold. */
  readonly resources?: ReadonlyMap<Kind, number>;
  /** The longest that one resource may take, in milliseconds, if that is less than its share. */
  readonly mostMs?: number | undefined;
  /** How much of the time is left for later, in milliseconds; default: none. */
  readonly reserve?: () => number;
  readonly onProgress?: (done: number, of: number) => void;
  /** Awaited before each resource, in its slot. */
  readonly beforeEach?: () => Promise<void>;
}

/**
 * The least part of a kind's resources for which all are listed again. To list, read and plan one takes a
 * twenty-fifth of the CPU time of a repair (measured), which is what a renewed one saves at most.
 */
const leastPart = 1 / 25;

/** The areas, with the kinds that are worth listing again for these worlds. */
function listedAgain(
  worlds: readonly LiveWorld[],
  { areas = [], resources }: Pick<RunOptions, 'areas' | 'resources'>,
): readonly Area[] {
  const own = Map.groupBy(worlds, ({ kind }) => kind);
  const isWorthIt = (kind: Kind): boolean =>
    (own.get(kind)?.length ?? 0) >= leastPart * (resources?.get(kind) ?? 0);
  return areas.map((area) => ({ ...area, kinds: area.kinds.filter(isWorthIt) }));
}

/**
 * Reconciles the worlds; a result is undefined for a resource that is gone or that the deadline left
 * undone.
 *
 * Guarantees: no resource takes longer than its share of the time (`shareOf`), so one that fails or
 * hangs leaves time for the others.
 */
export async function reconcileAll(run: Run, worlds: readonly LiveWorld[], options: RunOptions) {
  const { concurrency: slots, onProgress, readAt, reserve = () => 0 } = options;
  const { mostMs = Number.POSITIVE_INFINITY } = options;
  const areas = listedAgain(worlds, options);
  const { currentOf, onOtherRun, close } = openRenewals(run, { worlds, readAt, areas });
  const undone: string[] = [];
  const total = run.deadline - run.now().getTime();
  let waiting = worlds.length;
  let done = 0;
  const take = async (world: LiveWorld): Promise<Result | undefined> => {
    await options.beforeEach?.();
    const isOver = run.now().getTime() >= run.deadline - reserve();
    if (isOver) {
      undone.push(keyOfResource(world));
      return undefined;
    }
    const own = { ...run, memoryBudget: run.memoryBudget.part() };
    const sharers = waiting--;
    let current: Current | undefined;
    try {
      current = await currentOf(own, world);
      if (current === undefined) return undefined;
      const left = run.deadline - run.now().getTime();
      const share = shareOf({ left, total, slots, waiting: sharers });
      const result = await reconcile(own, current.world, {
        ...options,
        ...current,
        timeoutMs: Math.min(share, mostMs),
        onOtherRun,
      });
      return withoutDifferences(log(run, result));
    } finally {
      // Its world is outdated now, so the memory is released.
      for (const one of [world, current?.world]) one?.children.clear();
      own.memoryBudget.close();
      onProgress?.(++done, worlds.length);
    }
  };
  try {
    return { results: await mapConcurrently(worlds, take, slots), undone };
  } finally {
    close();
  }
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
      if (++failed <= maxFailuresOfOne) run.log.warning(`child ${outcome}`, fields);
    } else if (outcome !== 'unchanged') run.log.info(`child ${outcome}`, fields);
  }
  const more = failed - maxFailuresOfOne;
  if (more > 0) run.log.warning('more children failed or blocked', { key, more });
  if (error !== undefined) run.log.warning('resource failed', { key, error });
  return result;
}
