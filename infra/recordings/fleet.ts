import { basename, dirname } from 'node:path/posix';
import type { Environment } from '../../shared/environment.ts';
import { UnreadableRecordingError } from './errors.ts';
import { type Recording, recordingsAt } from './place.ts';

export interface ClusterRecording {
  readonly cluster: string;
  readonly recording: Recording;
}

/**
 * Finds the newest recording of every cluster in a directory or bucket. Omits recordings of audit events, which show
 * only a part of a cluster.
 *
 * Guarantees: if the functions wrote a file, its directory names the cluster:
 * `eu/2026-11-23T03:12:04.117Z-5d41402a.jsonl.gz`. Any other file names its cluster itself: `eu.jsonl`.
 */
export async function newestRecordings(
  place: string,
  env: Environment,
): Promise<readonly ClusterRecording[]> {
  const newest = new Map<string, Recording>();
  // Names sort by time, so the newest recording of a cluster replaces older recordings.
  for (const one of await recordingsAt(place, env))
    if (!directoriesOf(one).includes('audit')) newest.set(clusterOf(one), one);
  if (newest.size === 0)
    throw new UnreadableRecordingError(
      `${place} has only recordings of audit events: record a resync of each whole cluster with resync --record CLUSTER.jsonl`,
    );
  return [...newest].map(([cluster, recording]) => ({ cluster, recording }));
}

export const isNamedByTime = ({ path }: Recording): boolean =>
  /^\d{4}-\d\d-\d\dT/.test(basename(path));

export const directoriesOf = ({ path }: Recording): readonly string[] => dirname(path).split('/');

const clusterOf = (recording: Recording): string => {
  const directories = directoriesOf(recording).filter((one) => one !== '.' && one !== 'resync');
  const plain = basename(recording.path).replace(/\.jsonl(\.gz)?$/, '');
  const own = isNamedByTime(recording) ? [] : [plain];
  return [...directories, ...own].join('/') || 'the only cluster';
};
