import { expect, test } from 'vitest';
import { defineChildType } from '../../index.ts';
import { openOfflineServer } from '../../infra/check/offline-server.ts';

const bucket = defineChildType({
  group: 's3.example.com',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
});

test('a change of a recorded object of a custom type has an unknown result, and fails nothing', () => {
  const about = { apiVersion: 's3.example.com/v1', kind: 'Bucket' };
  const metadata = {
    name: 'one',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
  };
  const live = { ...about, metadata, spec: { region: 'a' } };
  const ask = openOfflineServer('us');
  expect(ask(bucket, live, { ...about, metadata, spec: { region: 'b' } })).toBeUndefined();
});
