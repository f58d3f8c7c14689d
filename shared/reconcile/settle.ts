import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { messageOf } from '../cluster/errors.ts';
import { isLeftToTick } from '../plan/contest.ts';
import { keyOfResource, type Result } from './reconcile.ts';
import type { Run } from './run.ts';
import { lookAgain, type View } from './view.ts';

export interface Patience {
  /** 0: no second look. */
  readonly seconds: number;
  readonly concurrency: number;
  readonly again: (views: readonly View[]) => Promise<readonly (Result | undefined)[]>;
}

/** Written to, and not yet what it is to be. */
export const isUnsettled = (result: Result | undefined): boolean =>
  result?.wrote === true && isUnderWay(result);

/** What is fought over is left to ticks, so there is nothing to wait for. */
const isUnderWay = (result: Result | undefined): boolean =>
  result?.verdict?.state === 'Reconciling' && !isLeftToTick(result.verdict.reason);

/**
 * Looks again at resources this run wrote to, 1, 2, 4 … s later, until they are Ready.
 *
 * Guarantees: ends with its patience or the run's deadline, whichever is first.
 * Caveats: what depends on an object nobody here owns heals at a tick, not here.
 */
export async function settle(
  run: Run,
  views: readonly View[],
  patience: Patience,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const end = Math.min(run.deadline, run.now().getTime() + patience.seconds * 1000);
  let waiting = views;
  for (let seconds = 1; waiting.length > 0; seconds *= 2) {
    const left = end - run.now().getTime();
    if (left <= 0) break;
    await delay(Math.min(seconds * 1000, left));
    const fresh = await pMap(waiting, (view) => look(run, view), {
      concurrency: patience.concurrency,
    });
    const seen = fresh.flatMap((view) => view ?? []);
    const found = await patience.again(seen);
    results.push(...found.flatMap((result) => result ?? []));
    waiting = seen.filter((_, at) => isUnderWay(found[at]));
  }
  return results;
}

async function look(run: Run, view: View): Promise<View | undefined> {
  try {
    return await lookAgain(run, view);
  } catch (error) {
    run.log.warning('no second look', { key: keyOfResource(view), error: messageOf(error) });
    return undefined;
  }
}
