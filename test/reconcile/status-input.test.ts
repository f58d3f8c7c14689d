import { describe, expect, it } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  digestOf,
  job,
  labelValue,
  ofType,
  Type,
  workloadName,
} from '../../index.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
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

/** Reports the version that runs: the old one during the migration, and none while both are running. */
const wiki = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Wiki',
  plural: 'wikis',
  spec: Type.Object({ image: Type.String() }),
  status: { version: Type.Optional(Type.String()), waits: Type.Optional(Type.Boolean()) },
  samples: [{ name: 'wiki', spec: { image: 'wiki:1' } }],
  owns: [deployment, job],
  children({ name, spec: { image } }) {
    const labels = { wiki: labelValue(name) };
    const containers = [{ name: 'web', image }];
    const migrate = { type: job, name: workloadName(`${name}-${digestOf(image)}`) };
    const pod = { spec: { restartPolicy: 'Never' as const, containers } };
    return [
      child(job, { ...migrate, step: 'once', body: { spec: { template: pod } } }),
      child(deployment, {
        name,
        needs: [migrate],
        body: {
          spec: {
            replicas: 2,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers } },
          },
        },
      }),
    ];
  },
  statusOf({ children }) {
    const [web] = ofType(children, deployment);
    if (web === undefined) return {};
    const version = web.readiness.state === 'Current' ? web.facts.images?.web : undefined;
    return { ...(version && { version }), waits: !web.upToDate };
  },
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

  it.each([
    ['with', { statusOf: () => ({}) }],
    ['without', {}],
  ])(
    'has the defaults of its schema, %s `statusOf`, and is not written twice',
    async (_, given) => {
      const counter = defineKind({
        group: 'example.org',
        version: 'v1',
        kind: 'Counter',
        plural: 'counters',
        spec: Type.Object({}),
        status: { attempt: Type.Integer({ default: 0 }) },
        samples: [{ name: 'one', spec: {} }],
        owns: [configMap],
        children: () => [],
        ...given,
      });
      await using env = await createTestEnvironment({ kinds: [counter] });
      await env.apply(counter, { name: 'one', spec: {} });
      await env.resync();
      expect((await env.get(counter, 'one'))?.status).toMatchObject({ attempt: 0 });
      env.requests();
      await env.resync();
      expect(env.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
    },
  );

  it('says which version runs before, during and after a migration', async () => {
    await using world = await createTestEnvironment({ kinds: [wiki] }, { controllers: 'paused' });
    const statusAfterRun = async () => {
      await world.resync();
      const { version, waits } = ((await world.get(wiki, 'one'))?.status ?? {}) as JsonObject;
      return { version, waits };
    };
    const settle = async () => {
      const { controllers } = world.cluster;
      controllers.resume();
      await controllers.settled();
      controllers.pause();
    };
    const none = { version: undefined, waits: undefined };
    await world.apply(wiki, { name: 'one', spec: { image: 'wiki:1' } });
    expect(await statusAfterRun()).toEqual(none);
    await settle();
    expect(await statusAfterRun()).toEqual({ ...none, waits: false });
    await settle();
    expect(await statusAfterRun()).toEqual({ version: 'wiki:1', waits: false });

    await world.apply(wiki, { name: 'one', spec: { image: 'wiki:2' } });
    expect(await statusAfterRun()).toEqual({ version: 'wiki:1', waits: true });
    await world.patch(deployment, 'one', { body: { spec: { replicas: 5 } } });
    expect(await statusAfterRun()).toMatchObject({ waits: true });
    await settle();
    expect(await statusAfterRun()).toEqual({ ...none, waits: false });
    await settle();
    expect(await statusAfterRun()).toEqual({ version: 'wiki:2', waits: false });
  });
});
