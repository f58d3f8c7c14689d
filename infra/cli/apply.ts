import type { Command } from 'commander';
import { apply } from '../../shared/reconcile/apply.ts';
import { previewRun } from '../../shared/reconcile/preview.ts';
import { commandName } from '../package-root.ts';
import { type Cli, example, withCluster } from './cli.ts';
import { CommandError, exitCodes, UsageError } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { type OutputFormat, outputOption } from './output.ts';
import { isComplete, previewOptions, printPlan } from './plan.ts';
import { type PlanFile, readPlanFile, type StoredPreview } from './plan-file.ts';
import { printReport } from './report.ts';
import { requireFound, type ScopeOptions, scopeFrom, withScope } from './scope.ts';
import { describeStaleness } from './stale-plan.ts';
import type { Terminal } from './terminal.ts';

interface ApplyOptions extends KubeOptions, ScopeOptions {
  readonly output: OutputFormat;
}

export function addApply(program: Command, { operate, terminal }: Cli): void {
  const command = program
    .command('apply')
    .argument('[file]', 'a plan written by plan --out; with --kind: the name of one resource');
  withCluster(withScope(command))
    .summary('apply a plan exactly as shown')
    .description(
      'Plans once and applies exactly that plan. It does not wait for readiness; the next run reports it. A plan in a FILE is applied only if everything it is based on is unchanged; otherwise the changes are listed and nothing is written.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('apply plan.json', 'apply --kind Website -n team-a shop'))
    .action((argument: string | undefined, options: ApplyOptions) => {
      const { kind, namespace } = options;
      const file = kind === undefined ? argument : undefined;
      if (file !== undefined && namespace !== undefined)
        throw new UsageError(
          'a plan file has its own scope: omit -n, or add --kind to name a resource',
        );
      const plan = file === undefined ? undefined : readPlanFile(file);
      return operate(options, async (operator) => {
        const given = plan ?? { scope: scopeFrom(operator, options, argument), preview: undefined };
        return applyPlan(operator, terminal, { ...given, file, format: options.output });
      });
    });
}

type Given = Pick<PlanFile, 'scope'> & {
  readonly preview: StoredPreview | undefined;
  readonly file: string | undefined;
  readonly format: OutputFormat;
};

async function applyPlan(
  operator: Operator,
  terminal: Terminal,
  { scope, preview, file, format }: Given,
): Promise<number> {
  const run = await operator.begin();
  const { config } = operator;
  const seen = await previewRun(run, scope, previewOptions(operator));
  const moved = preview === undefined ? [] : describeStaleness(preview, seen.preview);
  if (moved.length > 0)
    throw new CommandError(
      [
        'the plan is stale, nothing was written:',
        ...moved.map((line) => `  ${line}`),
        `Plan again: ${commandName} plan --out ${file}`,
      ].join('\n'),
    );
  if (isComplete(seen.preview)) requireFound(scope, seen.preview.total);
  if (format === 'text') printPlan(terminal, { scope, preview: seen.preview, format: 'table' });
  if (config.dryRun)
    throw new CommandError('DRY_RUN is true, so nothing was written: unset it to apply');
  const { concurrency } = config;
  // From here on a conflict is reported, not planned again: only what was shown is applied.
  const report = await apply(run, seen, { concurrency, tries: 1 });
  const code = printReport(terminal, report, format);
  return isComplete(seen.preview) ? code : exitCodes.failed;
}
