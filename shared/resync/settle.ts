import { contestedReason } from '../plan/observed/conditions.ts';
import type { Result } from '../resource/reconcile.ts';
import { type LiveWorld, laterPass, type Run, timeLeft, withTimeout } from '../run/run.ts';
import type { Turned } from './reconcile-all.ts';

type RunPass = (run: Run, worlds: readonly LiveWorld[]) => Promise<readonly Turned[]>;

interface SettleOptions {
  readonly seconds: number;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly runPass: RunPass;
}

const leastToResumeMs = 1000;

/**
 * Resumes the resources that used up their share of the time, and divides the time left among them.
 *
 * Guarantees: neither `resume` nor `settle` repairs contested fields, except those of Ingresses. If a child
 * shows that a write without a response was carried out, the write is reported.
 */
export async function resume(run: Run, first: readonly Turned[], runPass: RunPass) {
  const resumed: Turned[] = [];
  let last = first;
  while (cutOff(last).length > 0 && timeLeft(run) > leastToResumeMs) {
    const lost = new Map(last.map(({ result }) => [result.key, result.lost ?? new Map()]));
    last = await runPass(laterPass(run, lost), cutOff(last));
    resumed.push(...last);
  }
  return resumed;
}

const cutOff = (turned: readonly Turned[]): readonly LiveWorld[] =>
  turned.filter(({ result }) => result.cutOff).map(({ world }) => world);

export const mayBecomeReady = ({ summary }: Result): boolean =>
  summary?.state === 'Reconciling' && summary.reason !== contestedReason;

/**
 * After waits of 1, 2, 4 … s, surveys resources that the run wrote to or left after conflicts, until all are Ready.
 *
 * Guarantees: begins no work after `seconds` or the run's deadline; aborts hanging requests a second later.
 * Caveats: leaves a Stalled resource to the next run, even if its obstacle disappears.
 */
export async function settle(
  run: Run,
  worlds: readonly LiveWorld[],
  { seconds, wait, runPass }: SettleOptions,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const now = (): number => run.clients.now().getTime();
  const end = now() + seconds * 1000;
  const limits = { ...run.limits, deadline: Math.min(run.limits.deadline, end) };
  const ending = { ...run, limits };
  let waiting = worlds;
  let passMs = 0;
  for (let passes = 0; waiting.length > 0; passes++) {
    const spare = timeLeft(ending) - Math.max(leastMs, passMs);
    if (spare <= 0) break;
    await wait(Math.min(1000 * 2 ** passes, spare));
    const begun = now();
    const left = timeLeft(ending);
    if (left <= 0) break;
    const pass = await runPass(laterPass(withTimeout(ending, left + 1000)), waiting);
    passMs = now() - begun;
    results.push(...pass.map(({ result }) => result));
    waiting = pass.filter(({ result }) => mayBecomeReady(result)).map(({ world }) => world);
  }
  return results;
}

/** The minimum time for another pass, unless the last pass took longer. */
const leastMs = 250;
