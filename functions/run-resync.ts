import { UnreachableError } from '../shared/cluster/errors.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import type { Report } from '../shared/reconcile/report.ts';
import { resync } from '../shared/reconcile/resync.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Runs } from '../shared/runs.ts';
import type { Scope } from '../shared/scope.ts';

/** One resync, with one summary line. Throws where no kind could be looked at: nothing was done at all. */
export async function runResync({ config, log }: Runs, run: Run, scope: Scope): Promise<Report> {
  const area = { kinds: config.kinds, namespaces: config.namespaces };
  const report = await resync(run, scope, { ...config, area });
  for (const { kind, error } of report.incomplete)
    log.error('kind not reconciled', { kind, error });
  const { length: kinds } = areaOf(scope, area).kinds;
  if (kinds > 0 && report.incomplete.length === kinds) {
    throw new UnreachableError(
      [...new Set(report.incomplete.map(({ error }) => error))].join('; '),
    );
  }
  const { durationMs, resources, outcomes, statusWrites, undone, failures } = report;
  log.info('resynced', {
    trigger: run.trigger,
    scope,
    durationMs,
    resources,
    outcomes,
    statusWrites,
    failures: failures.length,
    undone: undone.length,
  });
  return report;
}
