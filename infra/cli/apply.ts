import { type Command, Option } from 'commander';
import { apply } from '../../shared/reconcile/apply.ts';
import { foresee } from '../../shared/reconcile/preview.ts';
import { type Cli, example, withCluster } from './cli.ts';
import { CommandError, exitCodes, UsageError } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { isWhole, previewOptions, printPlan } from './plan.ts';
import { type PlanFile, readPlanFile, type StoredPreview } from './plan-file.ts';
import { printReport, type ReportFormat } from './report.ts';
import { requireFound, type ScopeOptions, scopeFrom, withScope } from './scope.ts';
import { movedSince } from './stale-plan.ts';
import type { Terminal } from './terminal.ts';

interface ApplyOptions extends KubeOptions, ScopeOptions {
  readonly output: ReportFormat;
}

export function addApply(program: Command, { operate, terminal }: Cli): void {
  const command = program
    .command('apply')
    .argument('[file]', 'a plan written by plan --out; with --kind: the name of one resource');
  withCluster(withScope(command))
    .summary('perform a plan, just as it stands')
    .description(
      'Plans and performs just that plan, without a second look: what becomes ready later is said by the next run. A plan in a FILE is performed only if everything it rests on is still as it was; if not, what moved is named and nothing is written.',
    )
    .addOption(
      new Option('-o, --output <format>', 'how to print what was done')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText('after', example('apply plan.json', 'apply --kind Website -n team-a shop'))
    .action((argument: string | undefined, options: ApplyOptions) => {
      const { kind, namespace } = options;
      const file = kind === undefined ? argument : undefined;
      if (file !== undefined && namespace !== undefined)
        throw new UsageError('a plan has its own scope: leave -n away, or add --kind to a name');
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
  readonly format: ReportFormat;
};

async function applyPlan(
  operator: Operator,
  terminal: Terminal,
  { scope, preview, file, format }: Given,
): Promise<number> {
  const run = await operator.begin();
  const { config } = operator;
  const seen = await foresee(run, scope, previewOptions(operator));
  const moved = preview === undefined ? [] : movedSince(preview, seen.preview);
  if (moved.length > 0)
    throw new CommandError(
      [
        'the plan is stale, nothing was written:',
        ...moved.map((line) => `  ${line}`),
        `Plan again: npm run reconciler -- plan --out ${file}`,
      ].join('\n'),
    );
  if (isWhole(seen.preview)) requireFound(scope, seen.preview.total);
  if (format === 'text') printPlan(terminal, { scope, preview: seen.preview, format: 'table' });
  if (config.dryRun)
    throw new CommandError('DRY_RUN is true, so nothing was written: unset it to apply');
  const { concurrency } = config;
  // A change from now on is reported, not planned again: only what was shown is done.
  const report = await apply(run, seen, { concurrency, tries: 1 });
  const code = printReport(terminal, report, format);
  return isWhole(seen.preview) ? code : exitCodes.failed;
}
