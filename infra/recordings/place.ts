import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Environment } from '../../shared/environment.ts';
import { openBucket } from './bucket.ts';
import { UnreadableRecordingError } from './errors.ts';
import { maxBytes, readContent } from './recording-file.ts';

export interface Recording {
  /** The file, or an address such as `gs://my-recordings/resync/2026-11-23T03:12:04.117Z-5d41402a.jsonl.gz`. */
  readonly name: string;
  /** The slash-separated path within the directory or bucket; for a file given by name, its name. */
  readonly path: string;
  readonly read: () => Promise<Uint8Array>;
}

export const recordingFile = (name: string, path = name): Recording => ({
  name,
  path,
  read: async () => readContent(name),
});

export const places = 'files, directories or gs://BUCKET/PREFIX';

/** Includes the subdirectories of a directory. Throws an UnreadableRecordingError if there are no recordings. */
export async function recordingsAt(place: string, env: Environment): Promise<readonly Recording[]> {
  const found = place.startsWith('gs://') ? await inBucket(place, env) : inDirectory(place);
  if (found.length > 0) return found;
  const file = place.startsWith('gs://') ? 'run.jsonl' : join(place, 'run.jsonl');
  throw new UnreadableRecordingError(
    `${place} has no recordings (*.jsonl, *.jsonl.gz): write one with resync --record ${file}, or set RECORD_BUCKET for the functions`,
  );
}

function inDirectory(place: string): readonly Recording[] {
  const there = statSync(place, { throwIfNoEntry: false });
  if (there === undefined)
    throw new UnreadableRecordingError(
      `${place} cannot be read: there is no such file or directory; write a recording with resync --record FILE`,
    );
  if (!there.isDirectory()) return [recordingFile(place)];
  try {
    return readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter(isRecording)
      .toSorted()
      .map((name) => recordingFile(join(place, name), name.replaceAll(sep, '/')));
  } catch (error) {
    throw new UnreadableRecordingError(
      `the directory ${place} cannot be read: ${messageOf(error)}`,
    );
  }
}

async function inBucket(place: string, env: Environment): Promise<readonly Recording[]> {
  const [, name = '', prefix = ''] =
    /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:\/(.*))?$/.exec(place) ?? [];
  if (name === '')
    throw new UnreadableRecordingError(`${place}: write it as gs://my-recordings/resync`);
  const bucket = openBucket(name, env);
  const found = await bucket.list(prefix);
  return found.filter(isRecording).map((path) => ({
    name: `gs://${name}/${path}`,
    path,
    read: () => bucket.read(path, maxBytes),
  }));
}

const isRecording = (name: string): boolean => /\.jsonl(\.gz)?$/.test(name);
