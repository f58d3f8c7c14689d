import type { Command } from 'commander';
import { requestsFor } from '../../../shared/reconcile/planned-resource.ts';
import { type Preview, previewRun } from '../../../shared/reconcile/preview.ts';
import type { Scope } from '../../../shared/scope.ts';
import { commandName } from '../../package-root.ts';
import { beforeReading, type Cli, example, withCluster } from '../base/cli.ts';
import { shellQuote } from '../base/command-text.ts';
import { exitCodes } from '../base/errors.ts';
import type { KubeOptions } from '../base/kubeconfig.ts';
import { requireFound, type ScopeOptions, scopeFrom, withResource } from '../base/scope.ts';
import type { Operator } from '../base/session.ts';
import { paintFor, type Terminal } from '../base/terminal.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { grouped, printLines } from '../output/print.ts';
import { showProgress } from '../output/progress.ts';
import { type Refused, refusedBy } from '../plan/check-plan.ts';
import { planDiff } from '../plan/plan-diff.ts';
import { planFile, writePlanFile } from '../plan/plan-file.ts';
import { planMarkdown } from '../plan/plan-markdown.ts';
import { planTable } from '../plan/plan-table.ts';

interface PlanOptions extends KubeOptions, ScopeOptions {
  readonly output: PlanFormat;
  readonly out?: string;
  readonly exitCode?: true;
  readonly server?: true;
}

type PlanFormat = OutputFormat<'table' | 'diff' | 'markdown'>;

export function addPlan(program: Command, { operate, terminal }: Cli): void {
  withCluster(withResource(program.command('plan')))
    .summary('show what the next run would do, and why')
    .description(
      'Shows what the next run would do, and why; writes nothing. Children to be created are read by name first, so that an existing object of that name is reported. Values of Secrets are not shown. -o diff shows the children, as kubectl diff does; statuses and Events to be written are in the table and in -o json.',
    )
    .addOption(outputOption(['table', 'diff', 'markdown']))
    .option('--out <file>', 'write the plan to a file, for apply FILE')
    .option('--server', 'let the server check each write, by dry run')
    .option('--exit-code', 'exit with 3 if a run would write anything')
    .addHelpText(
      'after',
      example(
        'plan',
        'plan KIND NAME -n team-a -o diff',
        'plan --out plan.json --exit-code',
        'plan -o json',
      ),
    )
    .action((words: readonly string[], options: PlanOptions) =>
      operate(
        options,
        async (operator) => {
          const scope = scopeFrom(operator, options, words);
          const { seen } = await makePlan(operator, scope, terminal);
          const { preview } = seen;
          if (isComplete(preview)) await requireFound(operator, scope, preview.total);
          const refused = options.server ? await refusedBy(operator, seen) : undefined;
          printPlan(terminal, { scope, preview, refused, format: options.output });
          if (options.out !== undefined) {
            writePlanFile(options.out, planFile(scope, preview));
            printLines(terminal.err, [
              `Plan written to ${options.out}; to apply it: ${commandName} apply ${shellQuote(options.out)}`,
            ]);
          }
          if (!isComplete(preview) || (refused ?? []).length > 0) return exitCodes.failed;
          return options.exitCode && writes(preview) ? exitCodes.changes : exitCodes.done;
        },
        beforeReading(options),
      ),
    );
}

/** Plans a scope afresh; shows progress. */
export async function makePlan(operator: Operator, scope: Scope, terminal: Terminal) {
  const run = await operator.begin();
  const { onProgress, stop } = showProgress(terminal);
  const options = { ...previewOptions(operator), onProgress };
  return { run, seen: await previewRun(run, [scope], options).finally(stop) };
}

export const previewOptions = ({ config }: Operator) => ({
  area: { kinds: config.kinds, namespaces: config.namespaces },
  concurrency: config.concurrency,
  pruneLimit: config.pruneLimit,
});

export function printPlan(
  { out, err, env }: Terminal,
  {
    scope,
    preview,
    refused,
    format,
  }: {
    readonly scope: Scope;
    readonly preview: Preview;
    readonly refused?: readonly Refused[] | undefined;
    readonly format: PlanFormat;
  },
): void {
  printOutput(out, format, {
    data: { ...planFile(scope, preview), ...(refused === undefined ? {} : { refused }) },
    table: () => planTable(preview, paintFor(out, env), out),
    diff: () => planDiff(preview, paintFor(out, env)),
    markdown: () => planMarkdown(preview, refused),
  });
  const incomplete = preview.incomplete.map(({ kind, error }) => ({ about: kind, text: error }));
  const refusals = (refused ?? []).map(({ key, reason, message }) => ({
    about: key,
    text: `${reason}: ${message}`,
  }));
  printLines(err, [
    ...grouped(incomplete).map(({ about, text }) => `${about} could not be planned: ${text}`),
    ...grouped(refusals).map(({ about, text }) => `${about} would be refused: ${text}`),
  ]);
}

/** Whether everything in the scope could be planned. */
export const isComplete = ({ incomplete, resources }: Preview): boolean =>
  incomplete.length === 0 && resources.every(({ state }) => state !== 'failed');

/** Whether performing it sends more than reads. */
export const writes = ({ resources }: Preview): boolean =>
  resources.some((one) => requestsFor(one).some(({ verb }) => verb !== 'get'));
