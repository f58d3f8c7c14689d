import type { Command } from 'commander';
import { resyncOrDryRun } from '../../shared/resync/dry-run.ts';
import { observedBy } from '../../shared/run/run.ts';
import { type Cli, example, printPlace, withCluster } from './cli.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { type OutputFormat, outputOption } from './output.ts';
import { previewOptions } from './plan.ts';
import { printLines } from './print.ts';
import { showProgress } from './progress.ts';
import { beginRecording } from './record.ts';
import { printReport } from './report.ts';
import { requireServer } from './require-server.ts';
import { requireFound, type ScopeOptions, scopeFrom, withResource } from './scope.ts';

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
        const report = await resyncOrDryRun(
          observedBy(recording?.run ?? run, { onProgress }),
          [scope],
          {
            ...previewOptions(operator),
            settleSeconds,
            dryRun,
          },
        ).finally(stop);
        if (report.incomplete.length === 0)
          await requireFound(operator, scope, report.resources.total);
        const code = printReport(terminal, report, options.output);
        if (recording !== undefined) printLines(terminal.err, [await recording.finish()]);
        return code;
      };
      return operate(options, act, [requireServer, printPlace]);
    });
}
