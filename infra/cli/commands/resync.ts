import type { Command } from 'commander';
import { textAt } from '../../../shared/json.ts';
import { resyncOrDryRun } from '../../../shared/preview/dry-run.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { maxRecording } from '../../../shared/recording/recorder.ts';
import { type Header, headerOf } from '../../../shared/recording/recording.ts';
import { recordRun } from '../../../shared/recording/replay-decisions.ts';
import { type Run, withObserver } from '../../../shared/run/run.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import { manifest } from '../../package-root.ts';
import { writeRecording } from '../../recordings/recording-file.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { probeFor } from '../base/probe.ts';
import {
  type ResourceOptions,
  requestFrom,
  requireFound,
  withResource,
} from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { outputOption, printLines } from '../output/print.ts';
import { printReport } from '../output/print-report.ts';
import { showProgress } from '../output/progress.ts';

interface ResyncOptions extends ResourceOptions {
  readonly progress?: true;
  readonly record?: string;
}

export function addResync(program: Command, { onCluster, terminal }: Cli): void {
  withResource(program.command('resync'))
    .summary('reconcile everything, as the scheduled function does')
    .description(
      'Reconciles the selected resources as the scheduled function does, then re-reads the written children until they are ready, for at most SETTLE_SECONDS.',
    )
    .option('--progress', 'show progress on stderr at once; default: after a second')
    .option('--record <file>', 'record in a file, for replay FILE, what the run reads and decides')
    .addOption(outputOption())
    .addHelpText(
      'after',
      example('resync --progress', 'resync KIND -o json', 'resync --record run.jsonl'),
    )
    .action((words: readonly string[], options: ResyncOptions) =>
      onCluster(options, async (session) => {
        const request = requestFrom(session, options, words);
        const { settleSeconds, dryRun } = session.config;
        const run = await session.begin();
        const recording =
          options.record === undefined
            ? undefined
            : await beginRecording(options.record, { session, request, run });
        const { onProgress, stop } = showProgress(terminal, options.progress);
        const observed = withObserver(recording?.run ?? run, { onProgress });
        const runOptions = { ...previewOptions(session.config), settleSeconds, dryRun };
        const report = await resyncOrDryRun(observed, [request], runOptions).finally(stop);
        if (report.incomplete.length === 0)
          await requireFound(session, request, report.resources.total);
        const isDone = printReport(terminal, report, options.output);
        if (recording !== undefined) printLines(terminal.err, [await recording.finish()]);
        return isDone ? exitCodes.done : exitCodes.failed;
      }),
    );
}

interface Recorded {
  readonly session: Session;
  readonly request: ReconcileRequest;
  readonly run: Run;
}

/** Writes the header at once, so that nothing is reconciled if the file cannot be written. */
async function beginRecording(file: string, recorded: Recorded) {
  const { session } = recorded;
  const header = await headerFor(recorded);
  writeRecording(file, [JSON.stringify(header)]);
  const { rollout } = session.config;
  const { run, finish } = recordRun(recorded.run, header, {
    options: { ...previewOptions(session.config), rollout },
  });
  return {
    run,
    /** Adds the decisions (made again, as in a replay), writes the file, and returns a message for the user. */
    async finish(): Promise<string> {
      const { lines, isTruncated } = await finish();
      writeRecording(file, lines);
      return isTruncated
        ? `warning: ${file} holds only the first ${maxRecording / 1024 / 1024} MiB, and cannot be replayed: record less, with --kind or -n`
        : `Recorded in ${file}, without values of Secrets`;
    },
  };
}

async function headerFor({ session, request, run }: Recorded): Promise<Header> {
  const { config, credentials, environment, reconciler } = session;
  const { value } = await probeFor(credentials)({ path: '/version' });
  const deployment = {
    product: manifest.version,
    server: textAt(value, 'gitVersion') ?? 'unknown',
    kinds: config.kinds,
    settings: reconciler.settings,
    environment,
  };
  return headerOf(run, [request], deployment);
}
