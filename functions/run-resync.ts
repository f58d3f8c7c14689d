import type { Report } from '../shared/reconcile/report.ts';
import { resync } from '../shared/reconcile/resync.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Runs } from '../shared/runs.ts';
import type { Scope } from '../shared/scope.ts';

/** One resync of these Scopes, with one summary line. */
export async function runResync(
  { config, log }: Runs,
  run: Run,
  {
    scopes,
    onSettling = () => undefined,
  }: { readonly scopes: readonly Scope[]; readonly onSettling?: () => void },
): Promise<Report> {
  const area = { kinds: config.kinds, namespaces: config.namespaces };
  const report = await resync(run, scopes, { ...config, area, onSettling });
  for (const { kind, error } of report.incomplete)
    log.error('kind not reconciled', { kind, error });
  const { durationMs, resources, outcomes, statusWrites, undone, incomplete } = report;
  log.summary('resynced', {
    trigger: run.trigger,
    scopes,
    durationMs,
    resources,
    outcomes,
    statusWrites,
    failures: report.failures.length + report.moreFailures,
    undone: undone.length,
    incomplete: incomplete.length,
  });
  return report;
}
