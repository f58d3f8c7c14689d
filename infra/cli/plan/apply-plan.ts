import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { withObserver } from '../../../shared/run/run.ts';
import { apply } from '../../actions/apply.ts';
import { describeStaleness, type StoredPreview, storedPreview } from '../../actions/stale-plan.ts';
import { commandName } from '../../package-root.ts';
import { CommandError, exitCodes } from '../base/command-errors.ts';
import { requireFound } from '../base/request-options.ts';
import { describeCluster, type Session } from '../base/session.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { confirmed } from '../base/terminal.ts';
import type { OutputFormat } from '../output/print.ts';
import { printReport } from '../output/print-report.ts';
import { showProgress } from '../output/progress.ts';
import { isComplete, makeAdoption, makePlan, writes } from './make-plan.ts';
import { printPlan } from './print-plan.ts';

interface PlanToApply {
  readonly command: 'apply' | 'adopt';
  readonly request: ReconcileRequest;
  /** An earlier plan, shown or read from a file. Only an identical plan is applied. */
  readonly preview?: StoredPreview | undefined;
  readonly file?: string | undefined;
  readonly output: OutputFormat;
  readonly yes?: true;
}

/**
 * Plans, asks for confirmation, and applies exactly the shown plan. Does not ask if `yes` is set, if the plan writes
 * nothing, or if a plan file is applied without a terminal.
 */
export async function applyPlan(session: Session, given: PlanToApply): Promise<number> {
  const { command, request, output } = given;
  const { config, terminal } = session;
  let { run, seen } = await planAgain(session, given);
  if (isComplete(seen.preview)) await requireFound(session, request, seen.preview.total);
  // A plan in a file was shown when it was written, so a script may apply it without asking.
  const isShown = given.file !== undefined && terminal.confirm === undefined;
  const asks = !given.yes && !isShown && writes(seen.preview);
  const shown = { request, preview: seen.preview, format: 'table' } as const;
  if (output === 'text') printPlan(terminal, shown);
  else if (asks) printPlan({ ...terminal, out: terminal.err }, shown);
  if (config.dryRun)
    throw new CommandError(`DRY_RUN is true, so nothing was written: unset it to ${command}`);
  if (asks) {
    const question = `Apply this plan to cluster ${describeCluster(session)}?`;
    if (!(await confirmed(terminal, command, question)))
      throw new CommandError('not applied, nothing was written');
    // The cluster may have changed while the user read the plan.
    ({ run, seen } = await planAgain(session, { ...given, preview: storedPreview(seen.preview) }));
  }
  const { concurrency, settleSeconds } = config;
  // From here on, conflicts are reported: planning again could apply changes that were not shown.
  const { onProgress, stop } = showProgress(terminal);
  const effort = { concurrency, settleSeconds };
  const report = await apply(withObserver(run, { onProgress }), seen, effort).finally(stop);
  const isDone = printReport(terminal, report, output);
  return isDone && isComplete(seen.preview) ? exitCodes.done : exitCodes.failed;
}

/** Plans again; throws a CommandError if the new plan differs from the earlier plan. */
async function planAgain(session: Session, { command, request, preview, file }: PlanToApply) {
  const { run, seen } = await (command === 'adopt' ? makeAdoption : makePlan)(session, request);
  const changes = preview === undefined ? [] : describeStaleness(preview, seen.preview);
  if (changes.length === 0) return { run, seen };
  const again = file === undefined ? command : `plan --out ${shellQuote(file)}`;
  throw new CommandError(
    [
      'the plan is stale, so nothing was written:',
      ...changes.map((line) => `  ${line}`),
      `Plan again: ${commandName} ${again}`,
    ].join('\n'),
  );
}
