import { once } from 'node:events';
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type LocalCluster, startLocalCluster } from '../../cluster.ts';

let cluster: LocalCluster;
let config: KubeConfig;
let core: CoreV1Api;
beforeAll(async () => {
  cluster = await startLocalCluster({ controllers: 'paused' });
  config = new KubeConfig();
  config.loadFromString(cluster.kubeconfig());
  core = config.makeApiClient(CoreV1Api);
});
afterAll(() => cluster.stop());

const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
beforeEach(async () => {
  await core.deleteCollectionNamespacedConfigMap({ namespace });
});

const create = (name: string) =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { at: '1' } } });
const change = (name: string, at: string) =>
  core.patchNamespacedConfigMap(
    { namespace, name, body: { data: { at } } },
    setHeaderOptions('Content-Type', 'application/merge-patch+json'),
  );
const remove = (name: string) => core.deleteNamespacedConfigMap({ namespace, name });

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 5 });

async function inform() {
  const seen: string[] = [];
  const informer = makeInformer<V1ConfigMap>(config, path, () =>
    core.listNamespacedConfigMap({ namespace }),
  );
  for (const verb of ['add', 'update', 'delete'] as const) {
    informer.on(verb, ({ metadata, data }) => seen.push(`${verb} ${metadata?.name} ${data?.at}`));
  }
  const told = (...wanted: string[]) => eventually(() => expect(seen).toEqual(wanted));
  const failed = vi.fn();
  informer.on('error', failed);
  await informer.start();
  return { informer, told, failed };
}

test('the informer of client-node lists all objects and sees every change', async () => {
  await create('a');
  const { informer, told, failed } = await inform();
  await told('add a 1');
  await create('b');
  await change('a', '2');
  await remove('b');
  await told('add a 1', 'add b 1', 'update a 2', 'delete b 1');
  expect(informer.list(namespace).map(({ metadata }) => metadata?.name)).toEqual(['a']);
  await informer.stop();
  expect(failed).not.toHaveBeenCalled();
});

test('an informer whose history is compacted lists again', async () => {
  await create('kept');
  await create('lost');
  const { informer, told } = await inform();
  await told('add kept 1', 'add lost 1');
  await informer.stop();
  await remove('lost');
  await change('kept', '2');
  cluster.compact();
  await informer.start();
  await told('add kept 1', 'add lost 1', 'delete lost 1', 'update kept 2');
  await informer.stop();
});

test('a watch of client-node receives bookmarks and initial events, and ends when aborted', async () => {
  await create('first');
  const seen: string[] = [];
  const ended = vi.fn();
  const query = {
    allowWatchBookmarks: true,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
  };
  const watching = await new Watch(config).watch(
    path,
    query,
    (phase, object) => seen.push(`${phase} ${object.metadata.name ?? 'end'}`),
    ended,
  );
  await eventually(() => expect(seen).toEqual(['ADDED first', 'BOOKMARK end']));
  await create('second');
  await eventually(() => expect(seen).toContain('ADDED second'));
  const aborted = once(watching.signal, 'abort');
  watching.abort();
  await aborted;
  await eventually(() => expect(ended).toHaveBeenCalledOnce());
});
