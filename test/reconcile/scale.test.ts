import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { child, defineKind, deployment, labelValue, Type } from '../../index.ts';
import { auditPolicy } from '../../infra/generate/audit/audit-policy.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { refusalOf } from '../scenarios/api.ts';
import { useEngine, usePlace } from './use-engine.ts';

const pool = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Pool',
  plural: 'pools',
  spec: Type.Object({ size: Type.Integer({ minimum: 0, maximum: 10, default: 1 }) }),
  status: {
    available: Type.Optional(Type.Integer()),
    selector: Type.Optional(Type.String()),
  },
  scale: {
    specReplicasPath: '.spec.size',
    statusReplicasPath: '.status.available',
    labelSelectorPath: '.status.selector',
  },
  samples: [{ name: 'pool-sample', spec: {} }],
  owns: [deployment],
  children: ({ name, spec: { size } }) => [
    child(deployment, {
      name,
      body: {
        spec: {
          replicas: size,
          selector: { matchLabels: { pool: labelValue(name) } },
          template: {
            metadata: { labels: { pool: labelValue(name) } },
            spec: { containers: [{ name: 'nginx', image: 'nginx:1' }] },
          },
        },
      },
    }),
  ],
  statusOf: ({ name, children }) => ({
    available: children[0]?.facts.availableReplicas ?? 0,
    selector: `pool=${labelValue(name)}`,
  }),
});

const engine = useEngine({ controllers: 'paused', install: [pool] });
let client: Client;
beforeAll(async () => {
  client = createClient({ url: engine.cluster.url });
});
afterAll(async () => {
  await client.close();
});

const place = usePlace(engine, [pool]);
beforeEach(async () => {
  await place.api.create(pool, 'shop', { spec: {} });
  await place.resync();
});

const scaleOf = () => place.api.get(pool, 'shop/scale');
const replicas = async () => (await place.api.get(deployment, 'shop')).spec?.replicas;

test('C-3 a child that was scaled to zero is repaired and reported, although no manager has the zero', async () => {
  await place.api.scale(deployment, 'shop', 0);
  await place.resync();
  const messages = (await place.api.list(eventType)).map(({ message }) => message);
  expect(messages).toContain('Deployment shop: spec.replicas (none) → 1');
  expect(await replicas()).toBe(1);
});

describe('a kind with a scale', () => {
  test("is scaled by kubectl's request, and its children follow", async () => {
    expect(await replicas()).toBe(1);
    const scale = await scaleOf();
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { selector: 'pool=shop' } });
    const { status } = await client.send({
      method: 'PUT',
      path: `/apis/example.org/v1/namespaces/${place.namespace}/pools/shop/scale`,
      body: { ...scale, spec: { replicas: 4 } },
    });
    expect(status).toBe(200);
    await place.resync();
    expect((await place.api.get(pool, 'shop')).spec).toEqual({ size: 4 });
    expect(await replicas()).toBe(4);
  });

  test('shows the replicas that its status reports', async () => {
    await place.api.patch(
      deployment,
      'shop',
      { status: { replicas: 1, readyReplicas: 1, availableReplicas: 1 } },
      { subresource: 'status' },
    );
    expect((await scaleOf()).status).toMatchObject({ replicas: 0 });
    await place.resync();
    expect((await scaleOf()).status).toMatchObject({ replicas: 1 });
  });

  test('is not scaled beyond the bounds of its schema', async () => {
    const { code } = await refusalOf(place.api.scale(pool, 'shop', 11));
    expect(code).toBe(422);
    await place.resync();
    expect(await replicas()).toBe(1);
  });

  test('has its scale in the audit policy', () => {
    expect(auditPolicy([pool]).rules).toContainEqual(
      expect.objectContaining({
        resources: expect.arrayContaining([
          { group: 'example.org', resources: ['pools', 'pools/scale'] },
        ]),
      }),
    );
  });
});
