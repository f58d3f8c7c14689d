import { basename, resolve } from 'node:path/posix';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import type { Environment } from '../../../shared/environment.ts';
import { RecordingError, UnreadableRecordingError } from '../errors.ts';
import { directoriesOf, isNamedByTime } from '../fleet.ts';
import { type Recording, recordingsAt } from '../place.ts';
import { parseHeader } from '../recording-file.ts';

export interface Timed {
  readonly recording: Recording;
  /** When the run began. */
  readonly at: string;
}

export interface Timeline {
  /** Oldest first. */
  readonly recordings: readonly Timed[];
  readonly failures: readonly string[];
}

/** Returns each recording once, even if several places have it. */
export async function timelineOf(places: readonly string[], env: Environment): Promise<Timeline> {
  const recordings: Timed[] = [];
  const failures: string[] = [];
  const known = new Set<string>();
  for (const place of places)
    for (const recording of await recordingsAt(place, env)) {
      const file = resolve(recording.name);
      if (known.has(file)) continue;
      known.add(file);
      try {
        recordings.push({ recording, at: await startOf(recording) });
      } catch (error) {
        if (!(error instanceof RecordingError)) throw error;
        failures.push(messageOf(error));
      }
    }
  return {
    recordings: recordings.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    failures,
  };
}

const startOf = async (recording: Recording): Promise<string> => {
  const [named] = /^\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(basename(recording.path)) ?? [];
  if (named !== undefined && !Number.isNaN(Date.parse(named))) return named;
  return parseHeader(recording.name, await recording.read()).at;
};

/** Throws if the recordings are from several clusters, because resources in two clusters may have the same name. */
export function requireOneCluster(recordings: readonly Timed[]): void {
  const clusters = new Set(
    recordings.flatMap(({ recording }) =>
      isNamedByTime(recording)
        ? directoriesOf(recording)
            .filter((one) => !['.', 'resync', 'audit'].includes(one))
            .join('/')
        : [],
    ),
  );
  if (clusters.size > 1)
    throw new UnreadableRecordingError(
      `there are recordings of ${clusters.size} clusters (${[...clusters].slice(0, 5).join(', ')}): name the directories of one cluster, such as resync/${[...clusters][0]} and audit/${[...clusters][0]}`,
    );
}
