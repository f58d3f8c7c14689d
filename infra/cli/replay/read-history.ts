import { type Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { type Config, parseConfig } from '../../../shared/config/config.ts';
import { isNamed } from '../../../shared/kinds/kind.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import { counted } from '../../actions/wording.ts';
import { RecordingError } from '../../recordings/errors.ts';
import { History, type Subject } from '../../recordings/history/history.ts';
import { requireOneCluster, type Timed, timelineOf } from '../../recordings/history/timeline.ts';
import { places } from '../../recordings/place.ts';
import { parseRecording } from '../../recordings/recording-file.ts';
import type { Cli } from '../base/cli.ts';
import { asUsageError, CommandError, UsageError } from '../base/command-errors.ts';
import { type ReconcileRequestOptions, requestFrom } from '../base/request-options.ts';
import type { Terminal } from '../base/terminal.ts';
import { showSteps } from '../output/progress.ts';
import { printLines } from '../output/text.ts';

export interface HistoryOptions extends ReconcileRequestOptions {
  readonly recordings?: readonly string[];
  readonly last: number;
}

/** `[--recordings PLACE…] [--last N]` */
export const withRecordings = (command: Command): Command =>
  command
    .option('--recordings <place...>', `recordings of one cluster: ${places}`)
    .option('--last <count>', 'the most recordings to read, of those the newest', atLeastOne, 100);

function atLeastOne(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It is not a number of recordings.');
}

/** Returns the resource that the arguments name. */
export function subjectFrom(
  { config, namespace }: { readonly config: Config; readonly namespace: string },
  options: ReconcileRequestOptions,
  words: readonly string[],
): Subject {
  const request = requestFrom({ config, namespace }, options, words);
  const kind = config.kinds.find((one) => isNamed(one, request.kind ?? ''));
  if (kind === undefined || request.name === undefined)
    throw new UsageError('name one resource: KIND NAME or KIND/NAME');
  return { kind, namespace: request.namespace ?? '', name: request.name };
}

/** Reads the configuration of a command that uses no cluster. */
export async function offlineConfig({ config, terminal }: Cli) {
  const reconciler = await config();
  const env = { ...terminal.env, CLUSTER_CONTEXT: 'none', CLUSTER_ENDPOINT: '', CLUSTERS: '' };
  return { config: parseConfig(reconciler, env), namespace: 'default' };
}

export interface ReadHistory {
  readonly history: History;
  /** Whether some recordings could not be read. */
  readonly isPartial: boolean;
}

/** Reads the recordings that the options name, up to a time; requires one that has the resource. */
export async function readRecordings(
  subject: Subject,
  { recordings: given = [], last }: HistoryOptions,
  { terminal, config: { identity }, until = Number.POSITIVE_INFINITY }: Reading,
): Promise<ReadHistory> {
  const history = new History(subject, identity);
  const timeline = await timelineOf(given, terminal.env).catch(asUsageError);
  const inTime = timeline.recordings.filter(({ at }) => Date.parse(at) <= until);
  const chosen = inTime.slice(-last);
  try {
    requireOneCluster(chosen);
  } catch (error) {
    asUsageError(error);
  }
  const failures = [...timeline.failures, ...(await addAll(history, chosen, terminal))];
  printLines(terminal.err, failures);
  if (chosen.length < inTime.length)
    printLines(terminal.err, [
      `Only the newest ${chosen.length} of ${counted(inTime.length, 'recording')} were read: --last ${inTime.length} reads all.`,
    ]);
  if (given.length > 0 && history.runs.length === 0)
    throw new CommandError(noneOf(subject, chosen, timeline.recordings));
  return { history, isPartial: failures.length > 0 };
}

interface Reading {
  readonly terminal: Terminal;
  readonly config: Pick<Config, 'identity'>;
  /** The latest time of a recording, in milliseconds since the epoch. */
  readonly until?: number;
}

async function addAll(history: History, chosen: readonly Timed[], terminal: Terminal) {
  const failures: string[] = [];
  const steps = showSteps(terminal);
  for (const [done, { recording }] of chosen.entries()) {
    steps.onStep('history', `${done} of ${counted(chosen.length, 'recording')}`);
    try {
      history.addRun(recording.name, parseRecording(recording.name, await recording.read()));
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      failures.push(messageOf(error));
    }
  }
  steps.stop();
  return failures;
}

function noneOf({ kind, ...of }: Subject, chosen: readonly Timed[], all: readonly Timed[]): string {
  const title = titleOf({ kind: kind.kind, ...of });
  const [first, last] = [chosen[0]?.at, chosen.at(-1)?.at];
  return first === undefined
    ? `no recording is that old: the oldest is of ${all[0]?.at ?? 'no time'}`
    : `none of the ${counted(chosen.length, 'recording')} from ${first} to ${last} has ${title}: give its namespace with -n, others with --recordings, or more of them with --last`;
}
