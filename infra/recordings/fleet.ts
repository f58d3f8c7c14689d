import { basename, dirname } from 'node:path/posix';
import type { Environment } from '../../shared/environment.ts';
import { UnreadableRecordingError } from './errors.ts';
import { type Recording, recordingsAt } from './place.ts';

export interface ClusterRecording {
  readonly cluster: string;
  readonly recording: Recording;
}

/**
 * Finds the newest recording of every cluster in a folder or bucket.
 *
 * Guarantees: recordings that the functions named by time belong to the cluster of their folder, and only the newest
 * counts. Any other one is the recording of a cluster of its own name. Recordings of audit events, which show only a part
 * of a cluster, are omitted.
 */
export async function newestRecordings(
  place: string,
  env: Environment,
): Promise<readonly ClusterRecording[]> {
  const newest = new Map<string, Recording>();
  // Names sort by time, so the last one stays.
  for (const one of await recordingsAt(place, env))
    if (!foldersOf(one).includes('audit')) newest.set(clusterOf(one), one);
  if (newest.size === 0)
    throw new UnreadableRecordingError(
      `${place} has no recordings of clusters, only of audit events: write one for each with resync --record CLUSTER.jsonl`,
    );
  return [...newest].map(([cluster, recording]) => ({ cluster, recording }));
}

/** Reports whether the functions named the recording by the time of its run. */
export const isNamedByTime = ({ path }: Recording): boolean =>
  /^\d{4}-\d\d-\d\dT/.test(basename(path));

/** The folders of a recording, without those that the functions make for the triggers. */
export const foldersOf = ({ path }: Recording): readonly string[] => dirname(path).split('/');

const clusterOf = (recording: Recording): string => {
  const folders = foldersOf(recording).filter((one) => one !== '.' && one !== 'resync');
  const plain = basename(recording.path).replace(/\.jsonl(\.gz)?$/, '');
  const own = isNamedByTime(recording) ? [] : [plain];
  return [...folders, ...own].join('/') || 'the only cluster';
};
