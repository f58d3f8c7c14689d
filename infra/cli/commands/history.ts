import type { Command } from 'commander';
import type { HistorySubject } from '../../recordings/history/history.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { requireFound, withResource } from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import type { Terminal } from '../base/terminal.ts';
import { outputOption, printOutput } from '../output/print.ts';
import { historyTable } from '../replay/history-text.ts';
import {
  addLive,
  type HistoryOptions,
  offlineConfig,
  type ReadHistory,
  readRecordings,
  requestOf,
  subjectFrom,
  withRecordings,
} from '../replay/read-history.ts';

interface Options extends HistoryOptions {
  readonly offline?: true;
}

export function addHistory(program: Command, cli: Cli): void {
  const { terminal, onCluster, exit } = cli;
  withRecordings(withResource(program.command('history')))
    .summary('show who changed a resource and its children, and what runs decided')
    .description(
      'Shows what happened to one resource and its children, the newest last: changes by users and controllers, decisions of recorded runs with their reasons, Events and conditions. Reads the cluster and, with --recordings, recordings of the functions or of resync --record. Values of Secrets are not shown.',
    )
    .option('--offline', 'use only the recordings, not the cluster')
    .addOption(outputOption(['table']))
    .addHelpText(
      'after',
      example('history KIND NAME', 'history KIND NAME --offline --recordings recordings/'),
    )
    .action(async (words: readonly string[], options: Options) => {
      if (!options.offline)
        return onCluster(options, (session) => liveHistory(session, options, words));
      if (options.recordings === undefined) throw new UsageError('--offline needs --recordings');
      const offline = await offlineConfig(cli);
      const subject = subjectFrom(offline, options, words);
      const read = await readRecordings(offline, subject, options);
      exit(print(terminal, subject, { ...read, format: options.output }));
    });
}

async function liveHistory(
  session: Session,
  options: Options,
  words: readonly string[],
): Promise<number> {
  const subject = subjectFrom(session, options, words);
  const read = await readRecordings(session, subject, options);
  const { isFound, isPartial } = await addLive(session, subject, read.history);
  if (options.recordings === undefined)
    await requireFound(session, requestOf(subject), isFound ? 1 : 0);
  const shown = { ...read, isPartial: read.isPartial || isPartial, format: options.output };
  return print(session.terminal, subject, shown);
}

function print(
  terminal: Terminal,
  { kind, namespace, name }: HistorySubject,
  { history, isPartial, format }: ReadHistory & { readonly format: Options['output'] },
): number {
  const { entries, runs } = history;
  const recordings = runs.map(({ planned, ...run }) => ({
    ...run,
    hasDecisions: planned !== undefined,
  }));
  printOutput(terminal, format, {
    data: { kind: kind.kind, namespace, name, entries, recordings },
    table: () => historyTable(entries),
  });
  return isPartial ? exitCodes.failed : exitCodes.done;
}
