import { isDeferredToTick } from '../plan/contest.ts';
import { readRepairs } from './contested.ts';
import { keyOfResource } from './read.ts';
import type { Result } from './reconcile.ts';
import type { Run } from './run.ts';
import type { LiveWorld } from './state.ts';
import { unwrittenIn, unwrittenMs } from './unwritten.ts';

export interface SettleOptions {
  /** 0: no further pass. */
  readonly seconds: number;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly runPass: RunPass;
}

/** Surveys these resources again and reconciles them, within the given run. Lists, and each resource, take `mostMs` at most. */
export type RunPass = (
  run: Run,
  worlds: readonly LiveWorld[],
  mostMs?: number,
) => Promise<PassResult>;

/** The worlds and results of a pass, without resources that are gone or could not be read. */
export interface PassResult {
  readonly worlds: readonly LiveWorld[];
  readonly results: readonly (Result | undefined)[];
  /** How long its lists took. */
  readonly listMs: number;
}

/** Whether waiting may make the resource Ready; contested fields are left to ticks. */
export const mayBecomeReady = (result: Result | undefined): boolean =>
  result?.summary?.state === 'Reconciling' && !isDeferredToTick(result.summary.reason);

/**
 * Reads the resources that this run wrote to again, about 1, 2, 4 … s later, until they are Ready.
 *
 * Flow: one pass surveys all of them, with a list for each kind rather than a request for each resource.
 * A status is written again only if it changed.
 * Guarantees: ends after `seconds` or at the run's deadline, whichever is first, including reads and
 * writes: nothing is begun after that, and requests that hang are aborted a second later.
 * Caveats: what depends on an object that we do not own is repaired by a tick, not here.
 */
export async function settle(
  run: Run,
  worlds: readonly LiveWorld[],
  { seconds, wait, runPass }: SettleOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const now = (): number => run.now().getTime();
  const end = Math.min(run.deadline, now() + seconds * 1000);
  let waiting = worlds;
  let passMs = 0;
  for (let passes = 0; waiting.length > 0; passes++) {
    const pause = pauseBefore(passes, { leftMs: end - now(), passMs, owed: unwrittenMs(run) });
    if (pause === undefined) break;
    await wait(pause);
    const begun = now();
    const cluster = run.cluster.withTimeout(end - begun + 1000);
    const seen = await runPass(
      { ...run, cluster, deadline: end, trigger: 'settle', repairs: readRepairs() },
      waiting,
    );
    passMs = now() - begun;
    results.push(...seen.results.flatMap((result) => result ?? []));
    waiting = seen.worlds.filter((_, at) => mayBecomeReady(seen.results[at]));
  }
  return results;
}

/** The least time between two passes of a long run, and the most that the lists of one take, or one resource in it. */
const betweenPassesMs = 10_000;

/**
 * Reads new resources whose status is unwritten again while a long run works on others.
 *
 * Guarantees: at most one pass at a time, in the slot that finds it due; lists take at most a tenth of the time.
 */
export function openPasses(run: Run, runPass: RunPass) {
  const results: Result[] = [];
  const now = (): number => run.now().getTime();
  let next = now() + betweenPassesMs;
  const passIfDue = async (): Promise<void> => {
    if (now() < next) return;
    const waiting = unwrittenIn(run);
    if (waiting.length === 0) return;
    next = Number.POSITIVE_INFINITY;
    const own: Run = { ...run, trigger: 'settle', repairs: readRepairs() };
    const seen = await runPass(own, waiting, betweenPassesMs);
    results.push(...seen.results.flatMap((result) => result ?? []));
    next = now() + Math.max(betweenPassesMs, 10 * seen.listMs);
  };
  return { results, passIfDue };
}

/** A pass is not begun with less time left than this, or than the last one took. */
const leastMs = 250;

interface TimeLeft {
  readonly leftMs: number;
  /** How long the last pass took. */
  readonly passMs: number;
  /** How long it will take to write the statuses that are unwritten. */
  readonly owed: number;
}

/** How long to wait before the next pass; undefined if no time would be left for it. */
function pauseBefore(passes: number, { leftMs, passMs, owed }: TimeLeft): number | undefined {
  const needed = Math.max(leastMs, passMs) + owed;
  if (leftMs > needed) return Math.min(1000 * 2 ** passes, leftMs - needed);
  // What has to be written now is not written unread.
  return passes === 0 && owed > 0 && leftMs > leastMs ? 0 : undefined;
}

/** Looks up the last result of a resource; `wrote` is set if any of its results wrote something. */
export function lastOf(results: readonly (Result | undefined)[]) {
  const last = new Map<string, Result>();
  for (const result of results) {
    if (result === undefined) continue;
    const wrote = result.wrote || last.get(result.key)?.wrote === true;
    last.set(result.key, { ...result, wrote });
  }
  return (world: LiveWorld): Result | undefined => last.get(keyOfResource(world));
}
