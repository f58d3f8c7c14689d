import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { defaultKinds } from '../../../shared/config/define-config.ts';
import { isNamed } from '../../../shared/kinds/kind.ts';
import { apply } from '../../../shared/preview/apply.ts';
import { observedBy } from '../../../shared/run/run.ts';
import { describeStaleness, type StoredPreview, storedPreview } from '../../actions/stale-plan.ts';
import { commandName } from '../../package-root.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { beforeWriting, type Cli, withCluster } from '../base/cli.ts';
import { CommandError, exitCodes, UsageError } from '../base/command-errors.ts';
import { example, shellQuote } from '../base/command-text.ts';
import {
  type ReconcileRequestOptions,
  requestFrom,
  requireFound,
  resourceForms,
  withRequestOptions,
} from '../base/request-options.ts';
import { describeCluster, type Session } from '../base/session.ts';
import { type OutputFormat, outputOption } from '../output/format.ts';
import { printReport } from '../output/print-report.ts';
import { showProgress } from '../output/progress.ts';
import { isComplete, makePlan, writes } from '../plan/make-plan.ts';
import { type PlanFile, readPlanFile } from '../plan/plan-file.ts';
import { printPlan } from '../plan/print-plan.ts';

interface ApplyOptions extends KubeOptions, ReconcileRequestOptions {
  readonly output: OutputFormat;
  readonly yes?: true;
}

export function addApply(program: Command, { onCluster, config }: Cli): void {
  const command = program
    .command('apply')
    .argument('[file|resource...]', `a plan written by plan --out; or ${resourceForms}`);
  withCluster(withRequestOptions(command))
    .summary('apply a plan exactly as shown')
    .description(
      'Plans once and applies exactly that plan; on a terminal it asks first. It does not wait for readiness; the next run reports it. A plan in a FILE is applied only if everything it is based on is unchanged; otherwise the changes are listed and nothing is written.',
    )
    .option('-y, --yes', 'do not ask before applying')
    .addOption(outputOption())
    .addHelpText('after', example('apply plan.json', 'apply KIND NAME -n team-a'))
    .action(async (words: readonly string[], options: ApplyOptions) => {
      const { namespace, allNamespaces } = options;
      const file = await fileAmong(words, options, config);
      if (file !== undefined && (namespace !== undefined || allNamespaces))
        throw new UsageError(
          'a plan file names its own resources: omit -n and -A, or name a resource as KIND NAME',
        );
      const plan = file === undefined ? undefined : readPlanFile(file);
      const act = async (session: Session): Promise<number> => {
        const given = plan ?? { scope: requestFrom(session, options, words), preview: undefined };
        return applyPlan(session, { ...given, file, ...options });
      };
      return onCluster(options, act, beforeWriting);
    });
}

/** Takes a single word as a plan, unless it is KIND/NAME and there is no such file. */
async function fileAmong(
  [word, ...more]: readonly string[],
  { kind }: ApplyOptions,
  config: Cli['config'],
): Promise<string | undefined> {
  if (word === undefined || more.length > 0 || kind !== undefined) return undefined;
  if (!word.includes('/') || existsSync(word)) return word;
  const [named = ''] = word.split('/');
  return defaultKinds(await config()).some((one) => isNamed(one, named)) ? undefined : word;
}

type Given = Pick<PlanFile, 'scope'> &
  Pick<ApplyOptions, 'output' | 'yes'> & {
    readonly preview: StoredPreview | undefined;
    readonly file: string | undefined;
  };

async function applyPlan(session: Session, given: Given): Promise<number> {
  const { scope: request, file, output } = given;
  const { config, terminal } = session;
  let { run, seen } = await planAgain(session, given);
  if (isComplete(seen.preview)) await requireFound(session, request, seen.preview.total);
  const asks = terminal.confirm !== undefined && !given.yes && writes(seen.preview);
  const shown = { request, preview: seen.preview, format: 'table' } as const;
  if (output === 'text') printPlan(terminal, shown);
  else if (asks) printPlan({ ...terminal, out: terminal.err }, shown);
  if (config.dryRun)
    throw new CommandError('DRY_RUN is true, so nothing was written: unset it to apply');
  if (asks) {
    if (!(await terminal.confirm?.(`Apply this plan to cluster ${describeCluster(session)}?`)))
      throw new CommandError('not applied, nothing was written');
    // The user may have taken any time to answer.
    ({ run, seen } = await planAgain(session, {
      scope: request,
      file,
      preview: storedPreview(seen.preview),
    }));
  }
  const { concurrency } = config;
  // From here on a conflict is reported, not planned again: only what was shown is applied.
  const { onProgress, stop } = showProgress(terminal);
  const report = await apply(observedBy(run, { onProgress }), seen, { concurrency }).finally(stop);
  const isDone = printReport(terminal, report, output);
  return isDone && isComplete(seen.preview) ? exitCodes.done : exitCodes.failed;
}

/** Plans again; throws a CommandError if the new plan differs from the earlier one. */
async function planAgain(
  session: Session,
  { scope: request, preview, file }: Pick<Given, 'scope' | 'preview' | 'file'>,
) {
  const { run, seen } = await makePlan(session, request);
  const moved = preview === undefined ? [] : describeStaleness(preview, seen.preview);
  if (moved.length === 0) return { run, seen };
  throw new CommandError(
    [
      'the plan is stale, nothing was written:',
      ...moved.map((line) => `  ${line}`),
      `Plan again: ${commandName} ${file === undefined ? 'apply' : `plan --out ${shellQuote(file)}`}`,
    ].join('\n'),
  );
}
