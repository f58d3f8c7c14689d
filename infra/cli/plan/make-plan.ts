import { apply } from '../../../shared/preview/apply.ts';
import { requestsFor } from '../../../shared/preview/planned-resource.ts';
import { type Preview, type PreviewedRun, previewRun } from '../../../shared/preview/preview.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import type { Report } from '../../../shared/resync/report.ts';
import { observedBy } from '../../../shared/run/run.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import type { Session } from '../base/session.ts';
import { showProgress } from '../output/progress.ts';

/** Plans a request from fresh lists; shows progress. */
export async function makePlan({ begin, config, terminal }: Session, request: ReconcileRequest) {
  const run = await begin();
  const { onProgress, stop } = showProgress(terminal);
  const observed = observedBy(run, { onProgress });
  return {
    run,
    seen: await previewRun(observed, [request], previewOptions(config)).finally(stop),
  };
}

export type Refused = Report['failures'][number];

/** Lets the server check each write by a dry run; returns the refusals that the plan does not name itself. */
export async function refusedBy(
  { beginDryRun, config }: Session,
  seen: PreviewedRun,
): Promise<readonly Refused[]> {
  const { concurrency } = config;
  const { failures } = await apply(await beginDryRun(), seen, { concurrency });
  const actions = seen.preview.resources.flatMap((one) => one.actions);
  const known = new Set(actions.map(({ reason, message }) => `${reason} ${message}`));
  return failures.filter(({ reason, message }) => !known.has(`${reason} ${message}`));
}

/** Reports whether everything that was requested could be planned. */
export const isComplete = ({ incomplete, resources }: Preview): boolean =>
  incomplete.length === 0 && resources.every(({ state }) => state !== 'failed');

/** Reports whether performing the plan sends more than reads. */
export const writes = ({ resources }: Preview): boolean =>
  resources.some((one) => requestsFor(one).some(({ verb }) => verb !== 'get'));
