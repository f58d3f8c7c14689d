import { describe, expect, it } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  job,
  labelValue,
  ofType,
  Type,
} from '../../index.ts';
import { createTestEnvironment } from '../../testing/index.ts';

const template = (labels: Readonly<Record<string, string>>) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
});

const shop = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  spec: Type.Object({
    host: Type.String({ default: 'shop.example.org' }),
    settings: Type.String(),
  }),
  status: {
    url: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    updated: Type.Optional(Type.Integer()),
    migration: Type.Optional(Type.String()),
    waiting: Type.Optional(Type.Integer()),
  },
  samples: [{ name: 'shop', spec: { settings: 'settings' } }],
  owns: [deployment, job],
  reads: { settings: { type: configMap, name: ({ spec }) => spec.settings } },
  children({ name }) {
    const labels = { shop: labelValue(name) };
    const pod = { ...template({}), spec: { ...template({}).spec, restartPolicy: 'Never' } };
    return [
      child(job, { name: `${name}-migrate`, body: { spec: { template: pod } } }),
      child(deployment, {
        name,
        body: {
          spec: { replicas: 2, selector: { matchLabels: labels }, template: template(labels) },
        },
      }),
    ];
  },
  statusOf: ({ spec, reads, children }) => ({
    ...(spec && { url: `https://${spec.host}` }),
    ...(reads && { path: reads.settings?.data?.path ?? 'none' }),
    updated: ofType(children, deployment)[0]?.facts.updatedReplicas ?? 0,
    migration: ofType(children, job)[0]?.facts.outcome ?? 'Running',
    waiting: children.filter(({ readiness }) => readiness.state !== 'Current').length,
  }),
  conditions: ['Public'],
  conditionsOf: ({ spec }) =>
    spec === undefined
      ? []
      : [{ type: 'Public', status: 'True', reason: 'Host', message: `at ${spec.host}` }],
});

const settings = (path: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { path },
});

describe('the status of a kind', () => {
  it('follows the spec, referenced objects and every child, and is not written twice', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(settings('/a'));
    const statusOf = async () => (await world.get(shop, 'one'))?.status;
    await world.apply(shop, { name: 'one', spec: { settings: 'settings' } });
    await world.resync();
    expect(await statusOf()).toMatchObject({ url: 'https://shop.example.org', path: '/a' });
    expect((await world.conditions(shop, 'one')).Public?.message).toBe('at shop.example.org');
    await world.resync();
    await world.resync();
    const { resourceVersion } = (await world.get(shop, 'one'))?.metadata ?? {};
    expect(await statusOf()).toMatchObject({ updated: 2, waiting: 0 });
    await world.resync();
    expect((await world.get(shop, 'one'))?.metadata.resourceVersion).toBe(resourceVersion);

    await world.apply(shop, { name: 'one', spec: { settings: 'absent', host: 'b.example.org' } });
    await world.resync();
    expect(await statusOf()).toMatchObject({ url: 'https://b.example.org', path: 'none' });

    const restore = world.fail({ verb: 'get', resource: configMap, status: 503 });
    await world.resync();
    const unknown = await statusOf();
    expect(unknown).toMatchObject({ url: 'https://b.example.org' });
    expect(unknown).not.toHaveProperty('path');
    restore();
    await world.resync();
    expect(await statusOf()).toMatchObject({ path: 'none' });
  });
});
