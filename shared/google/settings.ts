import { ConfigError, isAddress } from '../environment.ts';

/** Environment variables that only Google Cloud has. */
export const googleVariables = [
  'PUBSUB_EMULATOR_HOST',
  'STORAGE_EMULATOR_HOST',
  'GOOGLE_CLOUD_PROJECT',
] as const;

export type Read = (
  name: 'FAN_OUT_TOPIC' | 'RECORD_BUCKET' | (typeof googleVariables)[number],
) => string;

/** A Pub/Sub topic. */
export interface Topic {
  /** Such as `projects/PROJECT/topics/TOPIC`. */
  readonly topic: string;
  /** Host and port of an emulator to use instead of Google's. */
  readonly emulator: string | undefined;
}

/** A bucket of Google Cloud Storage. */
export interface BucketSettings {
  readonly bucket: string;
  /** Host and port of an emulator to use instead of Google's. */
  readonly emulator: string | undefined;
}

interface Settings {
  readonly topic: Topic | undefined;
  readonly bucket: BucketSettings | undefined;
  /** The project whose traces the log lines belong to. */
  readonly project: string | undefined;
}

/** Parses Google Cloud's variables. Throws a ConfigError. */
export function parseSettings(read: Read): Settings {
  return {
    topic: topicOf(read('FAN_OUT_TOPIC'), read('PUBSUB_EMULATOR_HOST')),
    bucket: bucketOf(read('RECORD_BUCKET'), read('STORAGE_EMULATOR_HOST')),
    project: read('GOOGLE_CLOUD_PROJECT') || undefined,
  };
}

function topicOf(topic: string, emulator: string): Topic | undefined {
  if (topic !== '' && !/^projects\/[a-z0-9.:-]+\/topics\/[A-Za-z][\w.~+%-]{2,254}$/.test(topic))
    throw new ConfigError(
      `FAN_OUT_TOPIC: "${topic}" is not a topic; write it as projects/PROJECT/topics/TOPIC`,
    );
  const host = emulatorOf('PUBSUB_EMULATOR_HOST', emulator, 'localhost:8085');
  return topic === '' ? undefined : { topic, emulator: host };
}

function bucketOf(bucket: string, emulator: string): BucketSettings | undefined {
  if (bucket !== '' && !/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket))
    throw new ConfigError(
      `RECORD_BUCKET: "${bucket}" is not the name of a bucket; write it without gs:// and path, such as my-recordings`,
    );
  const host = emulatorOf('STORAGE_EMULATOR_HOST', emulator, 'localhost:9199');
  return bucket === '' ? undefined : { bucket, emulator: host };
}

function emulatorOf(name: string, text: string, example: string): string | undefined {
  if (text === '') return undefined;
  if (/^[^/]+:\d+$/.test(text) && isAddress(text)) return text;
  throw new ConfigError(`${name}: "${text}" is not a host:port such as ${example}`);
}
