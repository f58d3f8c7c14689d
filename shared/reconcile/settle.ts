import { isDeferredToTick } from '../plan/contest.ts';
import { readRepairs } from './contested.ts';
import { keyOfResource } from './read.ts';
import type { Result } from './reconcile.ts';
import type { Run } from './run.ts';
import type { LiveWorld } from './state.ts';

export interface SettleOptions {
  /** 0: no second pass. */
  readonly seconds: number;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Reads all of these again and reconciles them, in the time of the run it is given. */
  readonly runPass: (run: Run, worlds: readonly LiveWorld[]) => Promise<PassResult>;
}

/** The results; those that are gone, or could not be read, are left out. */
export interface PassResult {
  readonly worlds: readonly LiveWorld[];
  readonly results: readonly (Result | undefined)[];
}

/** What is fought over is left to ticks, so there is nothing to wait for. */
export const mayBecomeReady = (result: Result | undefined): boolean =>
  result?.summary?.state === 'Reconciling' && !isDeferredToTick(result.summary.reason);

/**
 * Reads again the resources this run wrote to, about 1, 2, 4 … s later, until they are Ready.
 *
 * Flow: one pass is one survey of what waits, a list for each kind and not a request for each
 * resource; a status is written once more only where it changed.
 * Guarantees: ends with its patience or the run's deadline, whichever is first, reads and writes
 * included: nothing is begun after it, and what hangs is aborted a second later.
 * Caveats: what depends on an object that we do not own is repaired at a tick, not here.
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
    const pause = pauseBefore(passes, { leftMs: end - now(), passMs });
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

/** Milliseconds; a pass with less time left than this, or than the last one took, is not begun. */
const leastMs = 250;

/** How long to wait before the next pass, with time left for it; undefined: there is none left. */
export function pauseBefore(
  passes: number,
  { leftMs, passMs }: { readonly leftMs: number; readonly passMs: number },
): number | undefined {
  const needed = Math.max(leastMs, passMs);
  return leftMs <= needed ? undefined : Math.min(1000 * 2 ** passes, leftMs - needed);
}

/** Resources of which this is the last result, and whether any of theirs wrote something. */
export function lastOf(results: readonly (Result | undefined)[]) {
  const last = new Map<string, Result>();
  for (const result of results) {
    if (result === undefined) continue;
    const wrote = result.wrote || last.get(result.key)?.wrote === true;
    last.set(result.key, { ...result, wrote });
  }
  return (world: LiveWorld): Result | undefined => last.get(keyOfResource(world));
}
