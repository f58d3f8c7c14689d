import type { Command } from 'commander';
import type { Subject } from '../../recordings/history/history.ts';
import { readLive } from '../../recordings/history/live.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { beforeReading, type Cli, withCluster } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import { requireFound, withResource } from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { printLines } from '../output/text.ts';
import { historyTable } from '../replay/history-text.ts';
import {
  type HistoryOptions,
  offlineConfig,
  type ReadHistory,
  readRecordings,
  subjectFrom,
  withRecordings,
} from '../replay/read-history.ts';

interface Options extends KubeOptions, HistoryOptions {
  readonly offline?: true;
  readonly output: OutputFormat<'table'>;
}

export function addHistory(program: Command, cli: Cli): void {
  const { terminal, onCluster, exit } = cli;
  withRecordings(withCluster(withResource(program.command('history'))))
    .summary('show who changed a resource and its children, and what runs decided')
    .description(
      'Shows what happened to one resource and its children, the newest last: changes by users and controllers, decisions of recorded runs with their reasons, Events and conditions. Reads the cluster and, with --recordings, what the functions or resync --record recorded. Values of Secrets are not shown.',
    )
    .option('--offline', 'use only the recordings, not the cluster')
    .addOption(outputOption(['table']))
    .addHelpText(
      'after',
      example('history KIND NAME', 'history KIND NAME --offline --recordings recordings/'),
    )
    .action(async (words: readonly string[], options: Options) => {
      if (!options.offline) {
        const show = (session: Session) => liveHistory(session, options, words);
        return onCluster(options, show, beforeReading(options));
      }
      if (options.recordings === undefined) throw new UsageError('--offline needs --recordings');
      const { config, namespace } = await offlineConfig(cli);
      const subject = subjectFrom({ config, namespace }, options, words);
      const read = await readRecordings(subject, options, { terminal, config });
      exit(print(subject, { ...read, format: options.output }, terminal));
    });
}

/** Reads the history from the cluster and the given recordings. */
async function liveHistory(
  session: Session,
  options: Options,
  words: readonly string[],
): Promise<number> {
  const { terminal, config } = session;
  const subject = subjectFrom(session, options, words);
  const { cluster } = await session.begin();
  const live = await readLive(cluster, subject);
  const { kind, namespace, name } = subject;
  if (options.recordings === undefined) {
    const request = { kind: kind.kind, name, ...(namespace && { namespace }) };
    await requireFound(session, request, live.objects.length);
  }
  const read = await readRecordings(subject, options, { terminal, config });
  read.history.addLive(live.objects, live.events, terminal.now().toISOString());
  printLines(terminal.err, live.failures);
  const isPartial = read.isPartial || live.failures.length > 0;
  return print(subject, { ...read, isPartial, format: options.output }, terminal);
}

function print(
  { kind, namespace, name }: Subject,
  { history, isPartial, format }: ReadHistory & { readonly format: Options['output'] },
  { out }: Terminal,
): number {
  const { entries, runs } = history;
  const recordings = runs.map(({ planned, ...run }) => ({
    ...run,
    hasDecisions: planned !== undefined,
  }));
  printOutput(out, format, {
    data: { kind: kind.kind, namespace, name, entries, recordings },
    table: () => historyTable(entries, out),
  });
  return isPartial ? exitCodes.failed : exitCodes.done;
}
