import { type Command, InvalidArgumentError } from 'commander';
import { type Config, parseConfig } from '../../../shared/config/config.ts';
import { isNamed } from '../../../shared/kinds/kind.ts';
import { counted } from '../../actions/wording.ts';
import type { History, Subject } from '../../recordings/history/history.ts';
import { readHistory } from '../../recordings/history/read-history.ts';
import { places } from '../../recordings/place.ts';
import type { Cli } from '../base/cli.ts';
import { asUsageError, UsageError } from '../base/command-errors.ts';
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
    .option(
      '--last <count>',
      'maximum number of recordings to read; the newest are chosen',
      atLeastOne,
      100,
    );

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
  /** True if some recordings could not be read. */
  readonly isPartial: boolean;
}

/** Reads the recordings that the options name, up to a time, and reports those that are missing. */
export async function readRecordings(
  subject: Subject,
  { recordings: places = [], last }: HistoryOptions,
  { terminal, config: { identity }, ...until }: Reading,
): Promise<ReadHistory> {
  const { env, err } = terminal;
  const steps = showSteps(terminal);
  const onRead = (done: number, of: number): void =>
    steps.onStep('history', `${done} of ${counted(of, 'recording')}`);
  const how = { places, last, env, identity, onRead, ...until };
  const read = await readHistory(subject, how).finally(steps.stop).catch(asUsageError);
  const { history, failures, chosen, of } = read;
  const left = `Only the newest ${chosen} of ${of} recordings were read: --last ${of} reads all.`;
  printLines(err, [...failures, ...(chosen < of ? [left] : [])]);
  return { history, isPartial: failures.length > 0 };
}

interface Reading {
  readonly terminal: Terminal;
  readonly config: Pick<Config, 'identity'>;
  /** The latest time of a recording, in milliseconds since the epoch. */
  readonly until?: number;
}
