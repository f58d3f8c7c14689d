import { lingers } from '../../shared/plan/decision/reasons.ts';
import type { PreviewedRun } from '../../shared/preview/preview.ts';
import type { Result } from '../../shared/resource/reconcile.ts';
import { reconcileAll } from '../../shared/resync/reconcile-all.ts';
import { type Report, reportOf } from '../../shared/resync/report.ts';
import type { ResyncOptions } from '../../shared/resync/resync.ts';
import { settleWork } from '../../shared/resync/resync.ts';
import { beginWaves } from '../../shared/rollout/choose.ts';
import type { Run } from '../../shared/run/run.ts';

/**
 * Performs the writes of a previewed run once, and reports a conflict instead of planning again. Then waits until the
 * resources that it wrote to are Ready.
 *
 * Guarantees: while it waits, it writes only statuses.
 */
export async function apply(
  run: Run,
  { work, found, pruning, readAt, isWhole, area }: PreviewedRun,
  {
    concurrency,
    settleSeconds = 0,
    ...more
  }: Pick<ResyncOptions, 'concurrency' | 'wait'> & Partial<Pick<ResyncOptions, 'settleSeconds'>>,
): Promise<Report> {
  const begun = run.clients.now().getTime();
  const given = { concurrency, once: true, prune: pruning.allows, readAt };
  if (isWhole) await beginWaves(run, area, { ...found, work });
  const first = await reconcileAll(run, work, given);
  const done = first.done.map(({ result }) => result);
  const { incomplete } = found;
  const waiting = { ...given, once: false, onlyStatus: true, area, incomplete, settleSeconds };
  const settled = await settleWork(run, first.done, { ...waiting, ...more });
  // Keeps the first result of a resource if a child still lingers, or if its status was not written during the wait.
  const isNews = ({ summary, outcomes }: Result) =>
    summary !== undefined && !outcomes.some(lingers);
  const all = [...settled.filter((one) => !isNews(one)), ...done, ...settled.filter(isNews)];
  const { undone } = first;
  return reportOf(run, { found, results: all, undone, pruning, begun });
}
