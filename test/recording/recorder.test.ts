import { expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { Recorder } from '../../shared/recording/recorder.ts';
import { replayedCluster, type Unanswered } from '../../shared/recording/replayed-cluster.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';

const objectNamed = (name: string, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'a', uid: name, resourceVersion, creationTimestamp: '' },
});
const labels = { app: 'x' };
const key = { namespace: 'a', name: 'one' };
const expired = new KubeError('list deployments.apps', {
  code: 410,
  status: { reason: 'Expired', message: 'too old' },
});

/** Opens a cluster with these responses; other requests are not sent in these tests. */
const clusterWith = (responses: Partial<Cluster>): Cluster => {
  const cluster: Cluster = {
    ...({} as Cluster),
    traffic: {},
    withTimeout: () => cluster,
    ...responses,
  };
  return cluster;
};

const replayed = (lines: readonly string[], unanswered: Unanswered[] = []) =>
  replayedCluster({
    snapshot: new Snapshot(lines.map((line) => JSON.parse(line))),
    isRead: () => false,
    restored: (digest) => digest,
    unanswered,
  });

async function listed(cluster: Cluster, selection = {}): Promise<readonly string[]> {
  const names: string[] = [];
  await cluster.list(deployment, { labels, ...selection }, ({ metadata }) => {
    names.push(`${metadata.name} ${metadata.resourceVersion}`);
  });
  return names;
}

test('a replay of a list has its first response, and later ones are not recorded', async () => {
  let version = 1;
  const recorder = new Recorder('salt');
  const cluster = recorder.through(
    clusterWith({ list: async (_, __, each) => void each(objectNamed('one', `${version++}`)) }),
  );
  expect(await listed(cluster)).toEqual(['one 1']);
  expect(await listed(cluster.withTimeout(5))).toEqual(['one 2']);
  expect(recorder.lines).toHaveLength(1);
  expect(await listed(replayed(recorder.lines))).toEqual(['one 1']);
});

test('a replay of a failed list has the error, although the run repeated the list', async () => {
  let calls = 0;
  const recorder = new Recorder('salt');
  const cluster = recorder.through(
    clusterWith({
      async list(_, __, each) {
        each(objectNamed('one'));
        if (calls++ === 0) throw expired;
      },
    }),
  );
  await expect(listed(cluster)).rejects.toBe(expired);
  await listed(cluster);
  const error = { ...expired, message: expired.message };
  await expect(listed(replayed(recorder.lines))).rejects.toMatchObject(error);
});

test('a replay has an object as it was before the run wrote it: listed, read, or absent', async () => {
  const recorder = new Recorder('salt');
  const cluster = recorder.through(
    clusterWith({
      list: async (_, __, each) => void each(objectNamed('listed')),
      get: async (_, { name }) => (name === 'gone' ? undefined : objectNamed(name, '2')),
      apply: async (_, { metadata }) => objectNamed(metadata.name, '3'),
    }),
  );
  const lock = { resourceVersion: '1' };
  const body = (name: string, more: object) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'a', name, ...more },
  });
  await listed(cluster);
  await cluster.get(deployment, { ...key, name: 'listed' });
  await cluster.get(deployment, { ...key, name: 'gone' });
  await cluster.apply(deployment, body('created', lock), { manager: 'm' });
  await cluster.apply(deployment, body('updated', { ...lock, uid: 'u' }), { manager: 'm' });
  for (const name of ['created', 'updated']) await cluster.get(deployment, { ...key, name });
  const again = replayed(recorder.lines);
  const versions = await Promise.all(
    ['listed', 'gone', 'created', 'updated'].map(async (name) => {
      const live = await again.get(deployment, { ...key, name });
      return live?.metadata.resourceVersion;
    }),
  );
  expect(versions).toEqual(['1', undefined, undefined, '2']);
  expect((await again.getMetadata(deployment, { ...key, name: 'updated' }))?.uid).toBe('updated');
});

test('a replay has only the metadata of an object of which no more was read', async () => {
  const recorder = new Recorder('salt');
  const cluster = recorder.through(
    clusterWith({
      getMetadata: async (_, { name }) =>
        name === 'gone' ? undefined : objectNamed(name).metadata,
    }),
  );
  for (const name of ['one', 'gone']) await cluster.getMetadata(deployment, { ...key, name });
  const unanswered: Unanswered[] = [];
  const again = replayed(recorder.lines, unanswered);
  expect((await again.getMetadata(deployment, key))?.uid).toBe('one');
  expect(await again.get(deployment, { ...key, name: 'gone' })).toBeUndefined();
  expect(unanswered).toEqual([]);
  expect(await again.get(deployment, key)).toBeUndefined();
  expect(unanswered).toMatchObject([{ request: 'get', type: deployment, key, takenAs: 'absent' }]);
});

test('a refused write is recorded with its reason, and without the message for a Secret', async () => {
  const refused = new KubeError('apply', {
    code: 422,
    status: {
      reason: 'Invalid',
      message: 'hunter2 is invalid',
      details: { causes: [{ message: 'hunter2' }] },
    },
  });
  const recorder = new Recorder('salt');
  const cluster = recorder.through(clusterWith({ apply: () => Promise.reject(refused) }));
  const manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'one' },
    data: { a: 'hunter2' },
  };
  for (const as of [{ manager: 'm', dryRun: true }, { manager: 'm' }] as const)
    await expect(cluster.apply(secret, manifest, as)).rejects.toBe(refused);
  expect(recorder.lines).toHaveLength(2);
  for (const line of recorder.lines) expect(line).toContain('"reason":"Invalid"');
  expect(recorder.lines.join('\n')).not.toContain('hunter2');
  await expect(cluster.apply(deployment, manifest, { manager: 'm' })).rejects.toBe(refused);
  expect(recorder.lines.at(-1)).toContain('hunter2 is invalid');
});

test('nothing is recorded beyond the limit, which is reported', async () => {
  const recorder = new Recorder('salt', 1000);
  const cluster = recorder.through(clusterWith({ get: async (_, { name }) => objectNamed(name) }));
  for (let at = 0; at < 20; at++) await cluster.get(deployment, { ...key, name: `${at}` });
  expect(recorder.isTruncated).toBe(true);
  expect(recorder.lines.join('\n').length).toBeLessThan(1000);
  expect(recorder.lines.length).toBeGreaterThan(1);
});

test('a replayed cluster refuses writes', () => {
  expect(() => replayed([]).remove(deployment, key, { uid: 'u', resourceVersion: '1' })).toThrow(
    'a recording cannot be written to',
  );
});
