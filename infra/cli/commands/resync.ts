import type { Command } from 'commander';
import { resyncOrDryRun } from '../../../shared/preview/dry-run.ts';
import { observedBy } from '../../../shared/run/run.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { beforeWriting, type Cli, withCluster } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import {
  type ReconcileRequestOptions,
  requestFrom,
  requireFound,
  withResource,
} from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { type OutputFormat, outputOption } from '../output/format.ts';
import { printReport } from '../output/print-report.ts';
import { showProgress } from '../output/progress.ts';
import { printLines } from '../output/text.ts';
import { beginRecording } from '../replay/begin-recording.ts';

interface ResyncOptions extends KubeOptions, ReconcileRequestOptions {
  readonly output: OutputFormat;
  readonly progress?: true;
  readonly record?: string;
}

export function addResync(program: Command, { onCluster, terminal }: Cli): void {
  withCluster(withResource(program.command('resync')))
    .summary('reconcile everything, as the scheduled function does')
    .description(
      'Reconciles everything that is selected, as the scheduled function does, and then re-reads the children it wrote until they are ready (SETTLE_SECONDS).',
    )
    .option('--progress', 'show progress on stderr at once; default: after a second')
    .option('--record <file>', 'write what the run reads and decides to a file, for replay FILE')
    .addOption(outputOption())
    .addHelpText(
      'after',
      example('resync --progress', 'resync KIND -o json', 'resync --record run.jsonl'),
    )
    .action((words: readonly string[], options: ResyncOptions) => {
      const act = async (session: Session): Promise<number> => {
        const request = requestFrom(session, options, words);
        const { settleSeconds, dryRun } = session.config;
        const run = await session.begin();
        const recording =
          options.record === undefined
            ? undefined
            : await beginRecording(options.record, { session, request, run });
        const { onProgress, stop } = showProgress(terminal, options.progress);
        const report = await resyncOrDryRun(
          observedBy(recording?.run ?? run, { onProgress }),
          [request],
          {
            ...previewOptions(session.config),
            settleSeconds,
            dryRun,
          },
        ).finally(stop);
        if (report.incomplete.length === 0)
          await requireFound(session, request, report.resources.total);
        const isDone = printReport(terminal, report, options.output);
        if (recording !== undefined) printLines(terminal.err, [await recording.finish()]);
        return isDone ? exitCodes.done : exitCodes.failed;
      };
      return onCluster(options, act, beforeWriting);
    });
}
