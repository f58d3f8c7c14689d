import type { Client } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { child, configMap, defineKind, secret, Type } from '../../index.ts';
import { readableByAnnotation } from '../../shared/kinds/names.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { namespaceType } from '../reconcile/engine.ts';
import { openApi } from '../scenarios/api.ts';
import { userSecret, vault } from '../support/vault.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

/** A kind whose ConfigMap lists what its selectors find. */
const atlas = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Atlas',
  plural: 'atlases',
  spec: Type.Object({
    key: Type.String(),
    operator: Type.String(),
    values: Type.Array(Type.String(), { default: [] }),
  }),
  samples: [],
  owns: [configMap],
  reads: {
    maps: {
      type: configMap,
      selector: ({ spec }) => ({
        matchLabels: { map: 'true' },
        matchExpressions: [spec],
      }),
      from: 'granted',
    },
  },
  children: ({ name, reads }) => [
    child(configMap, {
      name: `${name}-list`,
      body: { data: { maps: reads.maps.map((one) => one.name).join(' ') } },
    }),
  ],
});

const kinds = [atlas, vault];
let engine: RealEngine;
let client: Client;
let resync: () => Promise<unknown>;

beforeAll(async () => {
  engine = await startRealEngine(kinds);
  client = engine.client;
  resync = () => engine.run({}, { kinds, namespaces: undefined });
}, 900_000);
afterAll(() => engine?.stop());

const selectors = [
  { key: 'tier', operator: 'In', values: ['a', 'b'], want: 'a b' },
  { key: 'tier', operator: 'In', values: [''], want: 'empty' },
  { key: 'tier', operator: 'In', values: ['a', ''], want: 'a empty' },
  { key: 'tier', operator: 'NotIn', values: ['a'], want: 'b empty none granted' },
  { key: 'tier', operator: 'NotIn', values: [''], want: 'a b none granted' },
  { key: 'tier', operator: 'Exists', values: [], want: 'a b empty' },
  { key: 'tier', operator: 'DoesNotExist', values: [], want: 'none granted' },
] as const;

/** Creates ConfigMaps in a namespace, and two in another, of which one is granted. */
async function prepare(place: string) {
  const api = openApi(client, place);
  const other = openApi(client, `${place}-other`);
  for (const name of [place, `${place}-other`])
    await openApi(client).create(namespaceType, name, {});
  const map = { map: 'true' };
  const tiers = { a: { tier: 'a' }, b: { tier: 'b' }, empty: { tier: '' }, none: {} };
  for (const [name, labels] of Object.entries(tiers))
    await api.create(configMap, name, { metadata: { labels: { ...map, ...labels } } });
  const annotations = { [readableByAnnotation]: `${place}/atlases.example.org` };
  await other.create(configMap, 'granted', { metadata: { labels: map, annotations } });
  await other.create(configMap, 'refused', { metadata: { labels: map } });
  const listOf = async (name: string) => (await api.get(configMap, `${name}-list`)).data;
  return { api, listOf };
}

const timeout = 120_000;

test('a kind with one selector receives the objects that the API server selects', {
  timeout,
}, async () => {
  const { api, listOf } = await prepare('alone');
  for (const [at, { want, ...spec }] of selectors.entries()) {
    const name = `atlas-${at}`;
    await api.create(atlas, name, { spec });
    await resync();
    expect(await listOf(name)).toEqual({ maps: want });
    await api.remove(atlas, name);
  }
});

test('a kind with several selectors receives the objects that the run selects', {
  timeout,
}, async () => {
  const { api, listOf } = await prepare('together');
  for (const [at, { want: _, ...spec }] of selectors.entries())
    await api.create(atlas, `atlas-${at}`, { spec });
  await resync();
  for (const [at, { want }] of selectors.entries())
    expect(await listOf(`atlas-${at}`)).toEqual({ maps: want });
});

test('a Secret with values of other Secrets follows them, and no other object contains a value', {
  timeout,
}, async () => {
  const api = openApi(client, 'vaults');
  await openApi(client).create(namespaceType, 'vaults', {});
  await api.create(secret, 'user', { data: userSecret('user', 'anna/1').data });
  await api.create(vault, 'one', { spec: { user: 'user' } });
  const textOf = async (name: string, key: string) => {
    const { data } = await api.get(secret, name);
    return Buffer.from((data as Readonly<Record<string, string>>)[key] ?? '', 'base64').toString();
  };
  for (let passes = 0; passes < 2; passes++) await resync();
  const password = await textOf('one-password', 'password');
  expect(password).toHaveLength(32);
  expect(await textOf('one-url', 'url')).toBe(`db://anna%2F1:${password}@db`);

  await api.patch(secret, 'user', { data: userSecret('user', 'berta').data });
  await api.patch(secret, 'one-url', { data: { name: null } });
  await resync();
  expect(await textOf('one-url', 'url')).toBe(`db://berta:${password}@db`);
  expect(await textOf('one-url', 'name')).toBe('berta');
  const { metadata } = await api.get(secret, 'one-url');
  const before = metadata.resourceVersion;
  await resync();
  expect((await api.get(secret, 'one-url')).metadata.resourceVersion).toBe(before);
  const others = JSON.stringify([metadata, await api.get(vault, 'one'), await api.list(eventType)]);
  for (const value of [password, 'berta', Buffer.from('berta').toString('base64')])
    expect(others).not.toContain(value);
});
