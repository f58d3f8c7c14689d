import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { child, configMap, defineKind, deployment, labelValue, Type } from '../../index.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import { applyManifest } from '../scenarios/api.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const proxy = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Proxy',
  plural: 'proxies',
  spec: Type.Object({ runs: Type.Boolean({ default: true }) }),
  samples: [{ name: 'proxy-sample', spec: {} }],
  owns: [deployment, configMap],
  children: ({ name, spec: { runs } }) => [
    child(configMap, { name: `${name}-config`, body: { data: { runs: String(runs) } } }),
    ...(runs
      ? [
          child(deployment, {
            name,
            body: {
              spec: {
                replicas: 1,
                selector: { matchLabels: { proxy: labelValue(name) } },
                template: {
                  metadata: { labels: { proxy: labelValue(name) } },
                  spec: { containers: [{ name: 'nginx', image: 'nginx:1' }] },
                },
              },
            },
          }),
        ]
      : []),
  ],
  conditions: ['Admitting'],
  conditionsOf: ({ children }) =>
    children
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ facts }) =>
        facts.availableReplicas === 1
          ? { type: 'Admitting', status: 'True', reason: 'Up', message: 'it admits requests' }
          : { type: 'Admitting', status: 'False', reason: 'Down', message: 'no pod is up' },
      ),
});

let time = Date.parse('2026-11-22T12:00:00Z');
const engine = useEngine({ controllers: 'paused', clock: () => new Date(time), install: [proxy] });
let client: Client;
beforeAll(async () => {
  client = createClient({ url: engine.cluster.url });
});
afterAll(async () => {
  await client.close();
});

const place = usePlace(engine, [proxy]);
let begun: string;
beforeEach(async () => {
  await place.api.create(proxy, 'edge', { spec: {} });
  begun = new Date(time).toISOString().replace('.000', '');
  await place.resync();
  time += 60_000;
});

const conditions = async (): Promise<readonly Condition[]> =>
  (await place.api.get(proxy, 'edge')).status?.conditions ?? [];
const conditionOf = async (type: string) => (await conditions()).find((one) => one.type === type);

const start = () =>
  place.api.patch(
    deployment,
    'edge',
    {
      status: {
        observedGeneration: 1,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
      },
    },
    { subresource: 'status' },
  );

/** Sets a condition as another manager, by an apply. */
const report = (type: string) =>
  applyManifest(client, `/apis/example.org/v1/namespaces/${place.namespace}/proxies/edge/status`, {
    apiVersion: 'example.org/v1',
    kind: 'Proxy',
    status: {
      conditions: [
        { type, status: 'True', reason: 'Seen', message: 'by a probe', lastTransitionTime: begun },
      ],
    },
  });

const expectNoWrite = async () => {
  const before = place.requests().length;
  await place.resync();
  expect(place.requests().slice(before).filter(isWriteRequest)).toEqual([]);
};

describe('the conditions of a kind', () => {
  test('C-8 are written once, beside those of the engine', async () => {
    expect(await conditionOf('Admitting')).toEqual({
      type: 'Admitting',
      status: 'False',
      reason: 'Down',
      message: 'no pod is up',
      observedGeneration: 1,
      lastTransitionTime: begun,
    });
    expect((await conditions()).map(({ type }) => type).toSorted()).toEqual([
      'Admitting',
      'Ready',
      'Reconciling',
    ]);
    await expectNoWrite();
  });

  test('C-8 change once, with the time of their transition', async () => {
    await start();
    await place.resync();
    expect(await conditionOf('Admitting')).toMatchObject({
      status: 'True',
      lastTransitionTime: new Date(time).toISOString().replace('.000', ''),
    });
    expect(await conditionOf('Reconciling')).toBeUndefined();
    await expectNoWrite();
    await place.api.patch(proxy, 'edge', { spec: { runs: null } });
    await place.api.remove(deployment, 'edge');
    await place.resync();
    expect(await conditionOf('Reconciling')).toBeDefined();
    await expectNoWrite();
  });

  test('C-8 are removed once the kind no longer returns them, and those of others stay', async () => {
    await report('Probed');
    await place.api.patch(proxy, 'edge', { spec: { runs: false } });
    await place.resync();
    await place.resync();
    expect((await conditions()).map(({ type }) => type).toSorted()).toEqual(['Probed', 'Ready']);
    await expectNoWrite();
  });

  test('C-8 are restored if others change them', async () => {
    await report('Admitting');
    expect(await conditionOf('Admitting')).toMatchObject({ status: 'True', reason: 'Seen' });
    await place.resync();
    expect(await conditionOf('Admitting')).toMatchObject({ status: 'False', reason: 'Down' });
    await report('Admitting');
    await place.api.patch(proxy, 'edge', { spec: { runs: false } });
    await place.resync();
    await place.resync();
    expect(await conditionOf('Admitting')).toBeUndefined();
    await expectNoWrite();
  });
});
