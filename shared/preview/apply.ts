import { reconcileAll } from '../resync/reconcile-all.ts';
import { type Report, reportOf } from '../resync/report.ts';
import { beginWaves } from '../rollout/choose.ts';
import type { Run } from '../run/run.ts';
import type { PreviewedRun } from './preview.ts';

/** Performs a previewed run without settling. A conflict is only reported; nothing is planned again. */
export async function apply(
  run: Run,
  { work, found, pruning, readAt, wide }: PreviewedRun,
  { concurrency }: { readonly concurrency: number },
): Promise<Report> {
  const started = run.clients.now();
  const given = { concurrency, once: true, prune: pruning.allows, readAt };
  const own = wide === undefined ? run : await beginWaves(run, wide, { ...found, work });
  const { results, undone } = await reconcileAll(own, work, given);
  const all = results.flatMap((result) => result ?? []);
  return reportOf(run, { found, results: all, undone, pruning: pruning.text, started });
}
