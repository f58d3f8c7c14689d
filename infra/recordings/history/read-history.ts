import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import type { Environment } from '../../../shared/environment.ts';
import type { Identity } from '../../../shared/identity.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import { counted } from '../../actions/wording.ts';
import { RecordingError } from '../errors.ts';
import { parseRecording } from '../recording-file.ts';
import { History, type HistorySubject } from './history.ts';
import { requireOneCluster, type Timed, timelineOf } from './timeline.ts';

interface Reading {
  readonly places: readonly string[];
  /** The maximum number of recordings to read; the newest are chosen. */
  readonly last: number;
  /** In milliseconds since the epoch. Ignores later recordings. */
  readonly until?: number | undefined;
  readonly env: Environment;
  readonly identity: Identity;
  readonly onRead: (done: number, of: number) => void;
}

interface ReadHistory {
  readonly history: History;
  readonly failures: readonly string[];
  /** The number of chosen recordings. `of` is the number of all recordings up to `until`. */
  readonly chosen: number;
  readonly of: number;
}

/** Throws a RecordingError if places are given (`--recordings`), but no recording there contains the resource. */
export async function readHistory(
  subject: HistorySubject,
  { places, last, until = Number.POSITIVE_INFINITY, env, identity, onRead }: Reading,
): Promise<ReadHistory> {
  const history = new History(subject, identity);
  const timeline = await timelineOf(places, env);
  const inTime = timeline.recordings.filter(({ at }) => Date.parse(at) <= until);
  const chosen = inTime.slice(-last);
  requireOneCluster(chosen);
  const failures = [...timeline.failures];
  const read: Timed[] = [];
  for (const [done, one] of chosen.entries()) {
    onRead(done, chosen.length);
    const { name } = one.recording;
    try {
      history.addRun(name, parseRecording(name, await one.recording.read()));
      read.push(one);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      failures.push(messageOf(error));
    }
  }
  if (places.length > 0 && history.runs.length === 0) {
    const [oldest] = timeline.recordings;
    const isTooEarly = oldest !== undefined && chosen.length === 0;
    const why = isTooEarly
      ? [`all recordings are later than --at: the oldest is from ${oldest.at}`]
      : noneOf(subject, read);
    throw new RecordingError([...failures, ...why].join('\n'));
  }
  return { history, failures, chosen: chosen.length, of: inTime.length };
}

/** Empty if no recording could be read. */
function noneOf({ kind, ...of }: HistorySubject, read: readonly Timed[]): readonly string[] {
  const [first, last] = [read[0]?.at, read.at(-1)?.at];
  if (first === undefined) return [];
  const title = titleOf({ kind: kind.kind, ...of });
  return [
    `none of the ${counted(read.length, 'recording')} from ${first} to ${last} contains ${title}: give another namespace with -n, other recordings with --recordings, or a higher --last`,
  ];
}
