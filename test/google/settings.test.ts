import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../shared/google/settings.ts';
import { casesOf } from '../support/cases.ts';

const unset = { topic: undefined, bucket: undefined, project: undefined };
const topic = 'projects/demo/topics/scopes';
const bucket = 'my_recordings.example.com';

interface Case {
  readonly reason: string;
  readonly given: Readonly<Record<string, string>>;
  readonly want: Partial<ReturnType<typeof parseSettings>>;
}

const cases: Record<string, Case> = {
  Defaults: { reason: 'no setting is required', given: {}, want: {} },
  Topic: {
    reason: 'a topic is given by its full resource name',
    given: { FAN_OUT_TOPIC: topic },
    want: { topic: { name: topic, emulator: undefined } },
  },
  TopicOfEmulator: {
    reason: 'an emulator may replace Pub/Sub',
    given: { FAN_OUT_TOPIC: topic, PUBSUB_EMULATOR_HOST: 'localhost:8085' },
    want: { topic: { name: topic, emulator: 'localhost:8085' } },
  },
  Records: {
    reason: 'a bucket is given by its name, and an emulator may replace Cloud Storage',
    given: { RECORD_BUCKET: bucket, STORAGE_EMULATOR_HOST: 'localhost:9199' },
    want: { bucket: { name: bucket, emulator: 'localhost:9199' } },
  },
  NoRecords: {
    reason: 'nothing is recorded without a bucket',
    given: { STORAGE_EMULATOR_HOST: 'localhost:9199' },
    want: {},
  },
  Project: {
    reason: 'traces belong to this project',
    given: { GOOGLE_CLOUD_PROJECT: 'demo' },
    want: { project: 'demo' },
  },
};

describe('parseSettings', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(parseSettings((name) => given[name] ?? '')).toEqual({ ...unset, ...want });
  });
});
