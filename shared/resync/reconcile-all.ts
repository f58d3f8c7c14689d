import pMap from 'p-map';
import { DeadlineError } from '../cluster/cluster-errors.ts';
import { within } from '../cluster/time-limit.ts';
import { commandLineName, titleOf } from '../kubernetes.ts';
import { desiredOf } from '../plan/decision/desired.ts';
import { describeActor } from '../plan/drift/cause.ts';
import { changeText } from '../plan/status/kubernetes-events.ts';
import { keyOfResource } from '../reading/read.ts';
import { type Result, reconcile } from '../resource/reconcile.ts';
import type { ReconcileOptions } from '../resource/turn.ts';
import { firstTryOf, shareOf, type TimeBudget } from '../run/fairness.ts';
import {
  isLaterPass,
  type LiveWorld,
  maxAgeMs,
  type Run,
  timeLeft,
  withMemory,
} from '../run/run.ts';
import { maxFailuresOfOne } from './report.ts';

export interface RunOptions extends ReconcileOptions {
  readonly concurrency: number;
  readonly readAt: number;
}

export interface Turned {
  readonly world: LiveWorld;
  readonly result: Result;
}

/**
 * Reconciles the worlds. `undone` names the resources that were not begun before the deadline.
 *
 * Guarantees: no resource takes much longer than its share of the time (`shareOf`). Resources with large children are
 * reconciled one at a time, across all runs of the process, and delay no small resources.
 */
export async function reconcileAll(run: Run, worlds: readonly LiveWorld[], options: RunOptions) {
  const { concurrency, readAt } = options;
  const total = timeLeft(run);
  const isLater = isLaterPass(run);
  // With `once`, a write that times out is not tried again, so its first try needs no shorter limit.
  const firstTry = options.once ? Number.POSITIVE_INFINITY : firstTryOf(total);
  const firstTryMs = isLater ? undefined : firstTry;
  const results = new Map<LiveWorld, Result>();
  const take = async (world: LiveWorld, others: Pick<TimeBudget, 'concurrency' | 'waiting'>) => {
    const left = timeLeft(run);
    if (left <= 0) return;
    // The memory of this turn, released at its end.
    using memory = run.limits.memory.part();
    const own = withMemory(run, memory);
    const timeoutMs = shareOf({ left, total, isLater, ...others });
    const share = { ...options, freshUntil: readAt + maxAgeMs, timeoutMs, firstTryMs };
    try {
      const result = await traced(run, world, () => reconcile(own, world, share));
      log(run, result);
      // The differences contain values of fields, and are not needed once logged.
      const outcomes = result.outcomes.map(({ differences: _, ...rest }) => rest);
      results.set(world, { ...result, outcomes });
    } finally {
      // Drops outdated children.
      world.children.clear();
      run.clients.observer?.onProgress?.(results.size, worlds.length);
    }
  };
  const { small = [], large = [] } = Object.groupBy(worlds, sizeOf);
  const { withSocket = (act) => act() } = run.clients;
  const takeSmall = (world: LiveWorld, at: number) =>
    withSocket(() => take(world, { concurrency, waiting: small.length - at }));
  const takeLarge = (world: LiveWorld, at: number) =>
    exclusively(run, () => take(world, { concurrency: 1, waiting: large.length - at }));
  await Promise.all([
    pMap(small, takeSmall, { concurrency }),
    pMap(large, takeLarge, { concurrency: 1 }),
  ]);
  const done = worlds.flatMap((world): Turned[] => {
    const result = results.get(world);
    return result === undefined ? [] : [{ world, result }];
  });
  return { done, undone: worlds.filter((world) => !results.has(world)).map(keyOfResource) };
}

/** Calls `act` while no other run of the process does so. Does nothing if the deadline passes first. */
async function exclusively(run: Run, act: () => Promise<void>): Promise<void> {
  let begun: Promise<void> | undefined;
  const wait = (signal: AbortSignal): Promise<void> =>
    run.limits.memory.exclusive(async () => {
      begun = signal.aborted ? undefined : act();
      await begun;
    });
  const late = (): Error => new DeadlineError('another run is reconciling a large resource');
  await within(timeLeft(run), wait, late).catch(() => begun);
}

function traced({ clients, policy }: Run, world: LiveWorld, act: () => Promise<Result>) {
  const { namespace, name } = world.resource;
  const about = { kind: world.kind.kind, namespace, name, since: policy.since };
  return clients.telemetry?.resource(about, act) ?? act();
}

/** Desired children up to this size count as small: those of all resources in progress fit into memory together. */
const smallBytes = 2 ** 20;

function sizeOf(world: LiveWorld): 'small' | 'large' {
  const desired = desiredOf(world);
  return 'children' in desired && desired.bytes > smallBytes ? 'large' : 'small';
}

function log({ clients: { log } }: Run, { key, outcomes, error }: Result): void {
  let notDone = 0;
  for (const { child, result, reason, message, differences, by, origin } of outcomes) {
    const isNotDone = ['failed', 'blocked', 'skipped'].includes(result);
    if (result === 'unchanged' || (isNotDone && ++notDone > maxFailuresOfOne)) continue;
    const changes = by ? [`deleted${describeActor(by)}`] : differences?.map(changeText);
    const object = commandLineName(child);
    const about = { key, child: titleOf(child), object, outcome: result, origin, reason };
    const fields = { ...about, error: message, changes };
    if (result === 'failed' || result === 'blocked') log.warning(`child ${result}`, fields);
    else log.info(`child ${result}`, fields);
  }
  const more = notDone - maxFailuresOfOne;
  if (more > 0) log.warning('more children failed or were blocked or skipped', { key, more });
  if (error !== undefined) log.warning('resource failed', { key, error });
}
