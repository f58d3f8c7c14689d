import { apply } from '../../../shared/reconcile/apply.ts';
import type { PreviewedRun } from '../../../shared/reconcile/preview.ts';
import type { Report } from '../../../shared/reconcile/report.ts';
import type { Operator } from '../base/session.ts';

export type Refused = Report['failures'][number];

/** What the server refuses of a plan, each write checked by a dry run, besides what the plan says itself. */
export async function refusedBy(
  operator: Operator,
  seen: PreviewedRun,
): Promise<readonly Refused[]> {
  const { concurrency } = operator.config;
  const { failures } = await apply(await operator.beginDryRun(), seen, { concurrency });
  const actions = seen.preview.resources.flatMap((one) => one.actions);
  const known = new Set(actions.map(({ reason, message }) => `${reason} ${message}`));
  return failures.filter(({ reason, message }) => !known.has(`${reason} ${message}`));
}
