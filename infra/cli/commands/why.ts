import type { Command } from 'commander';
import { titleOf } from '../../../shared/kubernetes.ts';
import type { PlannedResource } from '../../../shared/preview/planned-resource.ts';
import { History, type HistorySubject } from '../../recordings/history/history.ts';
import { decisionEntries, type HistoryEntry } from '../../recordings/history/history-entry.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { requireFound, withResource } from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import type { Terminal } from '../base/terminal.ts';
import { outputOption, printLines, printOutput, section } from '../output/print.ts';
import { isComplete, makePlan } from '../plan/make-plan.ts';
import { historyTable, secondsOf, triggers } from '../replay/history-text.ts';
import {
  addLive,
  type HistoryOptions,
  offlineConfig,
  readRecordings,
  requestOf,
  subjectFrom,
  withRecordings,
} from '../replay/read-history.ts';

interface WhyOptions extends HistoryOptions {
  readonly at?: string;
}

export function addWhy(program: Command, cli: Cli): void {
  const { terminal, onCluster, exit } = cli;
  withRecordings(withResource(program.command('why')))
    .summary('explain a decision about a resource, now or at an earlier time')
    .description(
      'Explains what a run would decide about one resource now, and shows what happened before. With --recordings, explains the last recorded run up to --at instead, without a cluster.',
    )
    .option(
      '--at <time>',
      'explain the last run up to this time: 03:12 (in UTC, in the last 24 hours) or 2026-11-23T03:12:04Z; default: now',
    )
    .addOption(outputOption(['table']))
    .addHelpText(
      'after',
      example('why KIND NAME', 'why KIND NAME --at 03:12 --recordings recordings/'),
    )
    .action(async (words: readonly string[], options: WhyOptions) => {
      if (options.recordings === undefined) {
        if (options.at !== undefined) throw new UsageError('--at needs --recordings');
        return onCluster(options, (session) => explainNow(session, options, words));
      }
      const offline = await offlineConfig(cli);
      const subject = subjectFrom(offline, options, words);
      const until = options.at === undefined ? undefined : momentOf(options.at, terminal.now());
      const read = await readRecordings(offline, subject, { ...options, until });
      print(terminal, { subject, ...recordedIn(read.history) }, options);
      exit(read.isPartial ? exitCodes.failed : exitCodes.done);
    });
}

interface Explained {
  readonly heading: string;
  readonly entries: readonly HistoryEntry[];
  readonly before: readonly HistoryEntry[];
  readonly decided: PlannedResource | undefined;
  /** True if everything could be read. */
  readonly isWhole: boolean;
}

const maxBefore = 8;

function recordedIn({ runs, entries }: History): Explained {
  const run = runs.at(-1);
  if (run === undefined) throw new Error('readRecordings returned no run');
  const { at, product, trigger, planned, file } = run;
  const isOfRun = ({ recording }: HistoryEntry): boolean => recording === file;
  return {
    heading: `Decided at ${secondsOf(at)} by version ${product} (${triggers[trigger]}), recorded in ${file}:`,
    entries: entries.filter(isOfRun),
    before: entries.filter((one) => !isOfRun(one)).slice(-maxBefore),
    decided: planned,
    isWhole: true,
  };
}

async function explainNow(
  session: Session,
  options: WhyOptions,
  words: readonly string[],
): Promise<number> {
  const { terminal, config } = session;
  const subject = subjectFrom(session, options, words);
  const request = requestOf(subject);
  const { preview } = (await makePlan(session, request)).seen;
  const isWhole = isComplete(preview);
  if (isWhole) await requireFound(session, request, preview.total);
  const history = new History(subject, config.identity);
  const { isPartial } = await addLive(session, subject, history);
  const [planned] = preview.resources;
  const time = terminal.now().toISOString();
  const who = { time, who: config.identity.name, from: 'plan' } as const;
  const types = subject.kind.owns;
  const entries = planned === undefined ? [] : decisionEntries({ who, planned, types });
  const before = history.entries.slice(-maxBefore);
  const heading = 'A run of this code would decide now:';
  print(terminal, { subject, heading, entries, before, decided: planned, isWhole }, options);
  printLines(
    terminal.err,
    preview.incomplete.map((one) => `${one.kind}: ${one.error}`),
  );
  return isWhole && !isPartial ? exitCodes.done : exitCodes.failed;
}

function print(
  terminal: Terminal,
  {
    subject,
    heading,
    entries,
    before,
    decided,
    isWhole,
  }: Explained & { readonly subject: HistorySubject },
  { output }: WhyOptions,
): void {
  const { kind, namespace, name } = subject;
  const title = titleOf({ kind: kind.kind, namespace, name });
  const nothing = isWhole ? `Nothing to do for ${title}.` : `Unknown for ${title}.`;
  printOutput(terminal, output, {
    data: { kind: kind.kind, namespace, name, decided: decided ?? null, entries, before },
    table: () => [
      heading,
      '',
      ...(entries.length === 0 ? [nothing] : historyTable(entries)),
      ...section(['', 'Before:'], historyTable(before)),
    ],
  });
}

const dayMs = 24 * 3_600_000;

/**
 * Parses a time into the last millisecond that it covers: `03:12` includes the whole minute, `03:12:04` the whole
 * second. Without a date, assumes the last 24 hours; without a zone, UTC.
 */
export function momentOf(text: string, now: Date): number {
  const [, date, time = '', seconds, zone = 'Z'] =
    /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const today = now.toISOString().slice(0, 10);
  const start = Date.parse(`${date ?? today}T${time}${seconds ?? ':00'}${zone}`);
  if (Number.isNaN(start))
    throw new UsageError(
      `--at: "${text}" is not a time; write it as 03:12 or 2026-11-23T03:12:04Z, in UTC unless it ends with an offset such as +01:00`,
    );
  const length = seconds === undefined ? 60_000 : seconds.includes('.') ? 1 : 1_000;
  // Without a date, moves the time by whole days, so that it is in the last 24 hours.
  const days = date === undefined ? Math.ceil((start - now.getTime()) / dayMs) : 0;
  return start + length - 1 - days * dayMs;
}
