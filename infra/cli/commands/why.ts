import type { Command } from 'commander';
import { titleOf } from '../../../shared/kubernetes.ts';
import type { PlannedResource } from '../../../shared/preview/planned-resource.ts';
import { History, type Subject } from '../../recordings/history/history.ts';
import { decisionEntries, type HistoryEntry } from '../../recordings/history/history-entry.ts';
import { readLive } from '../../recordings/history/live.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { beforeReading, type Cli, withCluster } from '../base/cli.ts';
import { CommandError, exitCodes, UsageError } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import { momentOf } from '../base/moment.ts';
import { requireFound, withResource } from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { printLines } from '../output/text.ts';
import { isComplete, makePlan } from '../plan/make-plan.ts';
import { historyTable, secondsOf, triggers } from '../replay/history-text.ts';
import {
  type HistoryOptions,
  offlineConfig,
  readRecordings,
  subjectFrom,
  withRecordings,
} from '../replay/read-history.ts';

interface WhyOptions extends KubeOptions, HistoryOptions {
  readonly at?: string;
  readonly output: OutputFormat<'table'>;
}

export function addWhy(program: Command, cli: Cli): void {
  const { terminal, onCluster, exit } = cli;
  withRecordings(withCluster(withResource(program.command('why'))))
    .summary('explain a decision about a resource, now or at an earlier time')
    .description(
      'Explains what a run would decide about one resource now, and shows what happened before. With --recordings it explains the last recorded run up to --at instead, without a cluster.',
    )
    .option(
      '--at <time>',
      'explain the last run up to this time: 03:12 (the latest, in UTC) or 2026-11-23T03:12:04Z; default: now',
    )
    .addOption(outputOption(['table']))
    .addHelpText(
      'after',
      example('why KIND NAME', 'why KIND NAME --at 03:12 --recordings recordings/'),
    )
    .action(async (words: readonly string[], options: WhyOptions) => {
      if (options.recordings !== undefined) {
        const { config, namespace } = await offlineConfig(cli);
        const subject = subjectFrom({ config, namespace }, options, words);
        const until = options.at === undefined ? undefined : momentOf(options.at, terminal.now());
        const how = { terminal, config, ...(until === undefined ? {} : { until }) };
        const { history, isPartial } = await readRecordings(subject, options, how);
        print({ subject, ...recordedIn(history) }, options, terminal);
        exit(isPartial ? exitCodes.failed : exitCodes.done);
        return;
      }
      if (options.at !== undefined) throw new UsageError('--at needs --recordings');
      const explain = (session: Session) => explainNow(session, options, words);
      await onCluster(options, explain, beforeReading(options));
    });
}

/** A decision about a resource, with the history before it. */
interface Explained {
  readonly heading: string;
  readonly entries: readonly HistoryEntry[];
  readonly before: readonly HistoryEntry[];
  readonly decided: PlannedResource | undefined;
}

/** Maximum number of earlier entries shown. */
const mostBefore = 8;

/** Explains the last recorded run. */
function recordedIn({ runs, entries }: History): Explained {
  const run = runs.at(-1);
  if (run === undefined) throw new CommandError('no run is recorded');
  const { at, product, trigger, planned, file } = run;
  const isOfRun = ({ recording }: HistoryEntry): boolean => recording === file;
  return {
    heading: `Decided at ${secondsOf(at)} by version ${product} (${triggers[trigger]}), recorded in ${file}:`,
    entries: entries.filter(isOfRun),
    before: entries.filter((one) => !isOfRun(one)).slice(-mostBefore),
    decided: planned,
  };
}

async function explainNow(
  session: Session,
  options: WhyOptions,
  words: readonly string[],
): Promise<number> {
  const { terminal, config } = session;
  const subject = subjectFrom(session, options, words);
  const { kind, namespace, name } = subject;
  const request = { kind: kind.kind, name, ...(namespace && { namespace }) };
  const { preview } = (await makePlan(session, request)).seen;
  if (isComplete(preview)) await requireFound(session, request, preview.total);
  const now = terminal.now().toISOString();
  const { cluster } = await session.begin();
  const live = await readLive(cluster, subject);
  const history = new History(subject, config.identity);
  history.addLive(live.objects, live.events, now);
  const [planned] = preview.resources;
  const who = { time: now, who: config.identity.name, from: 'plan' } as const;
  const entries = planned === undefined ? [] : decisionEntries({ who, planned, types: kind.owns });
  const before = history.entries.slice(-mostBefore);
  const heading = 'To be decided now, by this code:';
  print({ subject, heading, entries, before, decided: planned }, options, terminal);
  const problems = [
    ...preview.incomplete.map((one) => `${one.kind}: ${one.error}`),
    ...live.failures,
  ];
  printLines(terminal.err, problems);
  return isComplete(preview) && problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

function print(
  { subject, heading, entries, before, decided }: Explained & { readonly subject: Subject },
  { output }: WhyOptions,
  { out }: Terminal,
): void {
  const { kind, namespace, name } = subject;
  const title = titleOf({ kind: kind.kind, namespace, name });
  const nothing = `Nothing to do for ${title}.`;
  printOutput(out, output, {
    data: { kind: kind.kind, namespace, name, decided: decided ?? null, entries, before },
    table: () => [
      heading,
      '',
      ...(entries.length === 0 ? [nothing] : historyTable(entries, out)),
      ...(before.length === 0 ? [] : ['', 'Before:', ...historyTable(before, out)]),
    ],
  });
}
