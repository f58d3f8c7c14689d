import { ConfigError } from '../environment.ts';

export const googleVariables = [
  'PUBSUB_EMULATOR_HOST',
  'STORAGE_EMULATOR_HOST',
  'GOOGLE_CLOUD_PROJECT',
] as const;

export type Read = (
  name: 'FAN_OUT_TOPIC' | 'RECORD_BUCKET' | (typeof googleVariables)[number],
) => string;

/** A topic such as `projects/PROJECT/topics/TOPIC`, or a bucket. */
export interface Destination {
  readonly name: string;
  /** Host and port, such as `localhost:8085`. */
  readonly emulator: string | undefined;
}

export function parseSettings(read: Read) {
  const [topic, bucket] = [read('FAN_OUT_TOPIC'), read('RECORD_BUCKET')];
  if (topic !== '' && !/^projects\/[a-z0-9.:-]+\/topics\/[A-Za-z][\w.~+%-]{2,254}$/.test(topic))
    throw new ConfigError(
      `FAN_OUT_TOPIC: "${topic}" is not a topic; write it as projects/PROJECT/topics/TOPIC`,
    );
  if (bucket !== '' && !/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket))
    throw new ConfigError(
      `RECORD_BUCKET: "${bucket}" is not the name of a bucket; write it without gs:// and path, such as my-recordings`,
    );
  const [pubsub, storage] = [read('PUBSUB_EMULATOR_HOST'), read('STORAGE_EMULATOR_HOST')];
  return {
    topic: topic === '' ? undefined : { name: topic, emulator: pubsub || undefined },
    bucket: bucket === '' ? undefined : { name: bucket, emulator: storage || undefined },
    /** The project of the traces to which log entries refer. */
    project: read('GOOGLE_CLOUD_PROJECT') || undefined,
  };
}
