import type { PreviewedRun } from './preview.ts';
import { reconcileAll } from './reconcile-all.ts';
import { type Report, reportOf } from './report.ts';
import type { Run } from './run.ts';

export interface ApplyOptions {
  readonly concurrency: number;
  /** How often a resource is planned when conflicts occur; 1: it is reported as stale instead. */
  readonly tries?: number;
  readonly onProgress?: (done: number, of: number) => void;
}

/** Performs a preview, resource by resource, and does not settle. */
export async function apply(
  run: Run,
  { work, found, pruning, readAt }: PreviewedRun,
  options: ApplyOptions,
): Promise<Report> {
  const started = run.now();
  const effort = { ...options, prune: pruning.allows, readAt };
  const { results, undone } = await reconcileAll(run, work, effort);
  const all = results.flatMap((result) => result ?? []);
  return reportOf(run, { found, results: all, undone, pruning: pruning.text, started });
}
