import { expect, test } from 'vitest';
import type { ReadLine } from '../../shared/recording/recording.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';

const read = (digest: string): ReadLine => ({
  line: 'read',
  request: 'get',
  type: 'secrets',
  namespace: 'team-a',
  name: 'one',
  object: {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'one', uid: '1', resourceVersion: digest, creationTimestamp: '' },
    digest,
  },
});

test('a recorded Secret is as it was read first, even if the run has changed it since', () => {
  const { objects } = new Snapshot([read('1'), read('2')]);
  expect([...objects.values()]).toMatchObject([
    { found: { metadata: { resourceVersion: '1' }, digest: '1' } },
  ]);
});
