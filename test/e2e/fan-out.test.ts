import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { type FunctionProcess, startFunction } from '../../infra/start/functions/load-function.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Api, openApi } from '../scenarios/api.ts';
import { namespaceType } from '../scenarios/built-in-kinds.ts';
import { kinds } from '../support/config.ts';
import { startTopic, type Topic } from '../support/pubsub.ts';

const user = 'engine';
const token = 'token';
const topicName = 'projects/test/topics/requests';
const namespaces = ['team-a', 'team-b', 'team-c', 'team-d', 'team-e'];

const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

interface World {
  readonly cluster: LocalCluster;
  readonly api: Api;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a cluster with two resources in each of five namespaces, and an empty namespace. */
async function openWorld(): Promise<World> {
  const cluster = await startLocalCluster({ tokens: { [token]: { username: user } } });
  const directory = await mkdtemp(join(tmpdir(), 'fan-out-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig(token));
  const client = createClient({ url: cluster.url });
  stops.push(
    () => rm(directory, { recursive: true }),
    () => cluster.stop(),
    () => client.close(),
  );
  await install(applyTo(cluster.url), { kinds, user, samples: false });
  for (const [at, namespace] of [...namespaces, 'empty'].entries()) {
    await openApi(client).create(namespaceType, namespace, {});
    if (namespace === 'empty') continue;
    const api = openApi(client, namespace);
    await api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 30_200 + at } });
    await api.create(foo, 'bar', { spec: { deploymentName: 'bar', replicas: 1 } });
  }
  const env = { KUBECONFIG: kubeconfig, CLUSTER_CONTEXT: 'local', SETTLE_SECONDS: '0' };
  return { cluster, api: openApi(client), env };
}

async function start(
  target: 'resync' | 'audit',
  env: Readonly<Record<string, string>>,
): Promise<FunctionProcess> {
  const started = await startFunction({
    target,
    port: 0,
    source: { code: new URL(`../../dist/${target}/index.js`, import.meta.url) },
    env: { PATH: process.env.PATH, ...env },
    onLine: () => undefined,
    onExit: () => undefined,
  });
  stops.push(started.stop);
  return started;
}

/** The request of Cloud Scheduler. */
const resyncRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
};

const resync = async ({ url }: FunctionProcess): Promise<Record<string, unknown>> => {
  const response = await fetch(url, resyncRequest);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
};

/** Lists every child with its spec. */
async function children({ api }: World): Promise<readonly string[]> {
  const found = await Promise.all([deployment, service].map((type) => api.list(type)));
  return found
    .flat()
    .map(({ metadata: { namespace, name, generation }, spec }) =>
      JSON.stringify([namespace, name, generation, { ...spec, clusterIP: '', clusterIPs: '' }]),
    )
    .toSorted();
}

let shared: World;
let alone: World;
let topic: Topic;
let giving: FunctionProcess;
beforeAll(async () => {
  [shared, alone] = await Promise.all([openWorld(), openWorld()]);
  const workers = await Promise.all([1, 2, 3].map(() => start('audit', shared.env)));
  topic = await startTopic(
    topicName,
    workers.map(({ url }) => url),
  );
  stops.push(() => topic.stop());
  const env = { ...shared.env, FAN_OUT_TOPIC: topicName, PUBSUB_EMULATOR_HOST: topic.host };
  giving = await start('resync', env);
}, 90_000);

test('three instances share a resync with the same result as one, even if every message is delivered twice', async () => {
  const doing = await start('resync', alone.env);
  const reconcileRequests = namespaces.map((namespace) => ({ namespace }));
  expect(await resync(giving)).toEqual({ reconcileRequests, resources: 10, incomplete: [] });
  expect(topic.published).toEqual(
    namespaces.map((namespace) => ({ version: 1, request: { namespace } })),
  );
  await topic.idle();
  await resync(doing);
  expect(await children(shared)).toEqual(await children(alone));
  expect(await children(shared)).toHaveLength(15);

  const again = async (): Promise<void> => {
    await shared.cluster.controllers.settled();
    await resync(giving);
    await topic.idle();
  };
  // Lets a resync write the statuses that changed because controllers have acted.
  await again();
  const before = shared.cluster.requests.list().length;
  await again();
  const after = shared.cluster.requests.list().slice(before);
  expect(after.filter(({ verb }) => !['get', 'list'].includes(verb))).toEqual([]);
}, 90_000);

test('a topic that refuses the messages fails the resync, so that it is retried', async () => {
  const env = {
    ...alone.env,
    FAN_OUT_TOPIC: 'projects/test/topics/other',
    PUBSUB_EMULATOR_HOST: topic.host,
  };
  const { url } = await start('resync', env);
  const response = await fetch(url, resyncRequest);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('cannot publish to projects/test/topics/other: HTTP 404');
});

test('a resync of one namespace is done without fan-out', async () => {
  const published = topic.published.length;
  const body = JSON.stringify({ namespace: 'team-a' });
  const response = await fetch(giving.url, { ...resyncRequest, body });
  expect(await response.json()).toMatchObject({ resources: { total: 2 } });
  expect(topic.published).toHaveLength(published);
});
