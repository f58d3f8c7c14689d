import type { Command } from 'commander';
import { parseConfig } from '../../../shared/config/config.ts';
import { hasName } from '../../../shared/kinds/kind.ts';
import { counted } from '../../actions/wording.ts';
import type { History, HistorySubject } from '../../recordings/history/history.ts';
import { readLive } from '../../recordings/history/live.ts';
import { readHistory } from '../../recordings/history/read-history.ts';
import { places } from '../../recordings/place.ts';
import type { Cli } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import { type ResourceOptions, requestFrom } from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { printLines } from '../output/print.ts';
import { showSteps } from '../output/progress.ts';

export interface HistoryOptions extends ResourceOptions<'table'> {
  readonly recordings?: readonly string[];
  readonly last: number;
}

export const withRecordings = (command: Command): Command =>
  command
    .option('--recordings <place...>', `recordings of one cluster: ${places}`)
    .option(
      '--last <count>',
      'maximum number of recordings to read; the newest are chosen',
      wholeNumber(1),
      100,
    );

export function subjectFrom(
  session: Pick<Session, 'config' | 'namespace'>,
  options: HistoryOptions,
  words: readonly string[],
): HistorySubject {
  const request = requestFrom(session, options, words);
  const kind = session.config.kinds.find((one) => hasName(one, request.kind ?? ''));
  if (kind === undefined || request.name === undefined)
    throw new UsageError('name one resource: KIND NAME or KIND/NAME');
  return { kind, namespace: request.namespace ?? '', name: request.name };
}

export const requestOf = ({ kind, namespace, name }: HistorySubject) => ({
  kind: kind.kind,
  name,
  ...(namespace === '' ? {} : { namespace }),
});

export async function offlineConfig({ config, terminal }: Cli) {
  const reconciler = await config();
  const env = { ...terminal.env, CLUSTER_CONTEXT: 'none', CLUSTER_ENDPOINT: '', CLUSTERS: '' };
  return { config: parseConfig(reconciler, env), namespace: 'default', terminal };
}

export interface ReadHistory {
  readonly history: History;
  /** True if some recordings could not be read. */
  readonly isPartial: boolean;
}

/** Prints the errors of unreadable recordings. */
export async function readRecordings(
  { terminal, config: { identity } }: Pick<Session, 'terminal' | 'config'>,
  subject: HistorySubject,
  {
    recordings: places = [],
    last,
    until,
  }: HistoryOptions & { readonly until?: number | undefined },
): Promise<ReadHistory> {
  const { env, err } = terminal;
  const steps = showSteps(terminal);
  const onRead = (done: number, of: number): void =>
    steps.onStep('history', `${done} of ${counted(of, 'recording')}`);
  const reading = { places, last, env, identity, onRead, until };
  const read = await readHistory(subject, reading).finally(steps.stop);
  const { history, failures, chosen, of } = read;
  const left = `Only the newest ${chosen} of ${of} recordings were read: --last ${of} reads all.`;
  printLines(err, [...failures, ...(chosen < of ? [left] : [])]);
  return { history, isPartial: failures.length > 0 };
}

/** Adds the present state in the cluster to the history, and prints the errors of failed reads. */
export async function addLive(
  { begin, terminal }: Session,
  subject: HistorySubject,
  history: History,
): Promise<{ readonly isFound: boolean; readonly isPartial: boolean }> {
  const { cluster } = await begin();
  const { objects, events, failures } = await readLive(cluster, subject);
  history.addLive(objects, events, terminal.now().toISOString());
  printLines(terminal.err, failures);
  return { isFound: objects.length > 0, isPartial: failures.length > 0 };
}
