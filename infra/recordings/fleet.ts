import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { UnreadableRecordingError } from './errors.ts';

/** The recording that stands for a cluster. */
export interface ClusterRecording {
  readonly cluster: string;
  readonly file: string;
}

/** Finds the recordings in a folder and below it. */
function recordingsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.jsonl(\.gz)?$/.test(name)).toSorted();
  } catch (error) {
    throw new UnreadableRecordingError(`the folder ${folder} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Finds the newest recording of every cluster in a folder.
 *
 * Guarantees: files that the functions named by time belong to the cluster of their folder, and only the newest counts.
 * Any other file is the recording of a cluster of its own name. Recordings of audit events, which show only a part of a
 * cluster, are left out.
 */
export function newestRecordings(folder: string): readonly ClusterRecording[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UnreadableRecordingError(
      `${folder} is not a folder: give one with recordings of clusters, such as a copy of RECORD_BUCKET`,
    );
  const newest = new Map<string, string>();
  // Names sort by time, so the last one stays.
  for (const name of recordingsIn(folder))
    if (!name.split(sep).slice(0, -1).includes('audit')) newest.set(clusterOf(name), name);
  if (newest.size === 0)
    throw new UnreadableRecordingError(
      `${folder} has no recordings of clusters: write one for each with resync --record ${join(folder, 'CLUSTER.jsonl')}, or copy RECORD_BUCKET`,
    );
  return [...newest].map(([cluster, name]) => ({ cluster, file: join(folder, name) }));
}

const clusterOf = (name: string): string => {
  const plain = name.replace(/\.jsonl(\.gz)?$/, '');
  const folders = dirname(plain)
    .split(sep)
    .filter((one) => one !== '.' && one !== 'resync');
  const own = /^\d{4}-\d\d-\d\dT/.test(basename(plain)) ? [] : [basename(plain)];
  return [...folders, ...own].join('/') || 'the only cluster';
};
