import type { Client } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { configMap, job } from '../../index.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { namespaceType } from '../reconcile/engine.ts';
import { type Api, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

/** An engine on a control plane with garbage collector and namespace controller. */
let engine: RealEngine;
let client: Client;
let resync: (namespace: string) => ReturnType<RealEngine['run']>;

beforeAll(async () => {
  engine = await startRealEngine([depot], { controllers: true });
  client = engine.client;
  resync = (namespace) => engine.run({}, { kinds: [depot], namespaces: [namespace] });
}, 900_000);
afterAll(() => engine?.stop());

let places = 0;
let namespace: string;
let api: Api;
beforeEach(async () => {
  namespace = `depots-${++places}`;
  await openApi(client).create(namespaceType, namespace, {});
  api = openApi(client, namespace);
  await api.create(depot, 'north', { spec: {} });
  await reaches({ status: 'True' });
}, 120_000);

const live = () => api.find(depot, 'north');
const ready = async () => (await live())?.status?.conditions?.find(({ type }) => type === 'Ready');
const reaches = (expected: object) =>
  eventually(async () => {
    await resync(namespace);
    expect(await ready()).toMatchObject(expected);
  }, 60_000);
const isGone = () =>
  eventually(async () => {
    await resync(namespace);
    expect(await live()).toBeUndefined();
  }, 60_000);
const names = async () =>
  [...(await api.list(job)), ...(await api.list(configMap))]
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt');
const areCollected = () => eventually(async () => expect(await names()).toEqual([]), 60_000);

test('a deletion in the background waits for the clean-up beside the children', {
  timeout: 180_000,
}, async () => {
  expect((await live())?.metadata.finalizers).toEqual([finalizer]);
  await api.remove(depot, 'north', 'Background');
  await resync(namespace);
  expect(await names()).toEqual(['north-empty', 'north-make', 'north-bucket', 'north-settings']);
  expect(await ready()).toMatchObject({ status: 'False', reason: 'Finalizing' });
  await isGone();
  await areCollected();
});

test('a resource deleted in the foreground is cleaned up even if its deletion waits for a child', {
  timeout: 180_000,
}, async () => {
  const held = { metadata: { finalizers: ['example.com/not-empty'] } };
  await api.patch(configMap, 'north-bucket', held);
  await api.remove(depot, 'north', 'Foreground');
  await eventually(async () => expect(await names()).toEqual(['north-bucket']));
  await eventually(async () => {
    await resync(namespace);
    const { conditions = [] } = (await api.get(job, 'north-empty')).status ?? {};
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Complete' }));
  });
  await resync(namespace);
  expect((await live())?.metadata.finalizers).toEqual([finalizer, 'foregroundDeletion']);
  await api.patch(configMap, 'north-bucket', { metadata: { finalizers: null } });
  await isGone();
  await areCollected();
});

test('a clean-up runs again if a second deletion removes its Job', {
  timeout: 180_000,
}, async () => {
  await api.remove(depot, 'north', 'Background');
  await resync(namespace);
  await api.remove(depot, 'north', 'Foreground');
  await areCollected();
  await isGone();
});

test('a resource in a namespace that is being deleted is removed, with an Event in default', {
  timeout: 180_000,
}, async () => {
  const admin = openApi(client);
  await admin.remove(namespaceType, namespace);
  await isGone();
  await eventually(
    async () => expect(await admin.find(namespaceType, namespace)).toBeUndefined(),
    60_000,
  );
  expect(await openApi(client, 'default').list(eventType)).toContainEqual(
    expect.objectContaining({
      reason: 'NamespaceTerminating',
      involvedObject: expect.objectContaining({ kind: 'Depot', name: 'north' }),
    }),
  );
});
