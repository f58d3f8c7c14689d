import type { Command } from 'commander';
import { resyncOrDryRun } from '../../../shared/reconcile/dry-run.ts';
import { printReport } from '../../actions/report.ts';
import { type Cli, example, printPlace, withCluster } from '../base/cli.ts';
import type { KubeOptions } from '../base/kubeconfig.ts';
import { requireServer } from '../base/require-server.ts';
import { requireFound, type ScopeOptions, scopeFrom, withResource } from '../base/scope.ts';
import type { Operator } from '../base/session.ts';
import { type OutputFormat, outputOption } from '../output/format.ts';
import { printLines } from '../output/print.ts';
import { showProgress } from '../output/progress.ts';
import { beginRecording } from '../replay/record.ts';
import { previewOptions } from './plan.ts';

interface ResyncOptions extends KubeOptions, ScopeOptions {
  readonly output: OutputFormat;
  readonly progress?: true;
  readonly record?: string;
}

export function addResync(program: Command, { operate, terminal }: Cli): void {
  withCluster(withResource(program.command('resync')))
    .summary('run as the scheduled function does')
    .description(
      'Reconciles everything in the scope, as the scheduled function does, and reads what it wrote again until it is ready (SETTLE_SECONDS).',
    )
    .option('--progress', 'show progress on stderr from the beginning; by default after a second')
    .option('--record <file>', 'write what the run reads and decides to a file, for replay FILE')
    .addOption(outputOption())
    .addHelpText(
      'after',
      example('resync --progress', 'resync KIND -o json', 'resync --record run.jsonl'),
    )
    .action((words: readonly string[], options: ResyncOptions) => {
      const act = async (operator: Operator): Promise<number> => {
        const scope = scopeFrom(operator, options, words);
        const { settleSeconds, dryRun } = operator.config;
        const run = await operator.begin();
        const recording =
          options.record === undefined
            ? undefined
            : await beginRecording(options.record, { operator, scope, run });
        const { onProgress, stop } = showProgress(terminal, options.progress);
        const report = await resyncOrDryRun(recording?.run ?? run, [scope], {
          ...previewOptions(operator),
          settleSeconds,
          dryRun,
          onProgress,
        }).finally(stop);
        if (report.incomplete.length === 0)
          await requireFound(operator, scope, report.resources.total);
        const code = printReport(terminal, report, options.output);
        if (recording !== undefined) printLines(terminal.err, [await recording.finish()]);
        return code;
      };
      return operate(options, act, [requireServer, printPlace]);
    });
}
