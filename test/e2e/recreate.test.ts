import { X509Certificate } from 'node:crypto';
import type { Client } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployment, secret } from '../../index.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { namespaceType } from '../reconcile/engine.ts';
import { openApi } from '../scenarios/api.ts';
import { mesh } from '../support/mesh.ts';
import { pool } from '../support/pool.ts';
import { recreatedShop as shop } from '../support/recreated.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

const namespace = 'recreated';
let engine: RealEngine;
let client: Client;
let resync: () => ReturnType<RealEngine['run']>;

beforeAll(async () => {
  engine = await startRealEngine([shop, pool, mesh]);
  client = engine.client;
  await openApi(client).create(namespaceType, namespace, {});
  resync = () => engine.run({}, { kinds: [shop, pool, mesh], namespaces: [namespace] });
}, 900_000);
afterAll(() => engine?.stop());

test('on a real API server, a child is recreated, unless a dry run of its creation is refused', async () => {
  const api = openApi(client, namespace);
  await api.create(shop, 'one', { spec: { tier: 'front' } });
  await resync();
  const first = await api.get(deployment, 'one');

  await api.patch(shop, 'one', { spec: { tier: 'back', labelled: 'front' } });
  expect((await resync()).failures).toMatchObject([{ reason: 'Invalid' }]);
  expect((await api.get(deployment, 'one')).metadata.uid).toBe(first.metadata.uid);

  await api.patch(shop, 'one', { spec: { labelled: 'back' } });
  const { outcomes, failures } = await resync();
  expect(failures).toEqual([]);
  expect(outcomes).toMatchObject({ updated: 2 });
  const second = await api.get(deployment, 'one');
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  expect(second.spec).toMatchObject({ selector: { matchLabels: { tier: 'back' } } });
  expect((await resync()).outcomes).toMatchObject({ updated: 0, created: 0 });
});

test('on a real API server, an initial field is left to others after the creation', async () => {
  const api = openApi(client, namespace);
  await api.create(pool, 'two', { spec: { image: 'a:1' } });
  await resync();
  expect((await api.get(deployment, 'two')).spec).toMatchObject({ replicas: 2 });
  expect((await resync()).outcomes).toMatchObject({ updated: 0 });

  await api.scale(deployment, 'two', 5);
  await api.patch(pool, 'two', { spec: { image: 'a:2' } });
  expect((await resync()).outcomes).toMatchObject({ updated: 1 });
  expect((await api.get(deployment, 'two')).spec).toMatchObject({ replicas: 5 });
});

test('on a real API server, certificates are stored in a Secret of their type, and a second run writes nothing', async () => {
  const api = openApi(client, namespace);
  await api.create(mesh, 'three', { spec: { dnsNames: ['a.example.org'] } });
  expect((await resync()).failures).toEqual([]);
  const { data, type } = (await api.get(secret, 'three-tls')) as LiveSecret;
  const [server, authority] = ['tls.crt', 'ca.crt'].map(
    (key) => new X509Certificate(Buffer.from(data[key] ?? '', 'base64')),
  );
  expect(type).toBe('kubernetes.io/tls');
  expect(authority !== undefined && server?.verify(authority.publicKey)).toBe(true);
  expect((await resync()).outcomes).toMatchObject({ updated: 0, created: 0 });
});

interface LiveSecret extends KubeObject {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}
