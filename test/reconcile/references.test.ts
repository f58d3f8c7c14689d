import { describe, expect, it } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  secretDigestAnnotation,
  Type,
} from '../../index.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { keyOfReference } from '../../shared/plan/observed/world.ts';
import { readReferences } from '../../shared/reading/read-references.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import type { Run } from '../../shared/run/run.ts';
import { createTestEnvironment, type TestEnvironment } from '../../testing/index.ts';
import { shop } from '../support/shop.ts';

const settings = (tag: string, name = 'settings', namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { tag },
});

const token = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { token: Buffer.from(value).toString('base64') },
});

async function templateOf(world: TestEnvironment, name = 'one') {
  const live = await world.get(deployment, name);
  const { template } = (live?.spec ?? {}) as {
    readonly template?: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly image: string }[] };
    };
  };
  return {
    image: template?.spec.containers[0]?.image,
    annotations: template?.metadata.annotations ?? {},
  };
}

const writesIn = (world: TestEnvironment): readonly string[] =>
  world
    .requests()
    .filter(({ isWrite, resource }) => isWrite && resource !== 'events')
    .map(({ verb, resource, subresource }) =>
      [verb, resource, subresource].filter(Boolean).join(' '),
    );

const reasonsOf = async (world: TestEnvironment): Promise<readonly string[]> => {
  await world.resync();
  return (await world.events(shop, 'one')).map(({ reason }) => reason);
};

describe('a resource that refers to a ConfigMap', () => {
  it('follows it at resyncs and after audit events, and writes nothing without changes', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(settings('v1'));
    await world.apply(shop, { name: 'one', spec: { settings: 'settings' } });
    await world.resync();
    expect((await templateOf(world)).image).toBe('web:v1');
    await world.resync();
    world.requests();
    await world.resync();
    expect(writesIn(world)).toEqual([]);

    await world.apply(settings('v2'));
    const { reconcileRequests: requests } = await world.deliver();
    expect(requests).toEqual([{ kind: 'shops.example.org', namespace: 'default', name: 'one' }]);
    expect((await templateOf(world)).image).toBe('web:v2');

    await world.apply(settings('v3'));
    await world.resync();
    expect((await templateOf(world)).image).toBe('web:v3');
    const events = await world.events(shop, 'one');
    expect(events.map(({ reason }) => reason)).toEqual(['Updated', 'Updated']);
    await world.resync();
    world.requests();
    await world.resync();
    expect(writesIn(world)).toEqual([]);
  });

  it('reports a field from a new object as an update, and a field that others removed as a repair', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(shop, { name: 'one', spec: { tokens: ['token'] } });
    await world.resync();
    await world.resync();
    await world.apply(token('token', 'secret'));
    expect(await reasonsOf(world)).toEqual(['Updated']);
    const annotations = { [secretDigestAnnotation]: null };
    await world.patch(deployment, 'one', {
      body: { spec: { template: { metadata: { annotations } } } },
    });
    expect(await reasonsOf(world)).toEqual(['Updated', 'Repaired']);
  });

  it('reports that it is missing, and changes no child until it exists', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(shop, { name: 'one', spec: { settings: 'settings' } });
    await world.resync();
    expect((await world.conditions(shop, 'one')).Stalled?.reason).toBe('SettingsMissing');
    await world.apply(settings('v1'));
    await world.deliver();
    expect((await templateOf(world)).image).toBe('web:v1');

    await world.delete(configMap, 'settings');
    await world.deliver();
    expect((await world.conditions(shop, 'one')).Stalled?.reason).toBe('SettingsMissing');
    expect((await templateOf(world)).image).toBe('web:v1');
  });

  it('changes no child while it cannot be read, and reports that', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(settings('v1'));
    await world.apply(shop, { name: 'one', spec: { settings: 'settings' } });
    await world.apply(shop, { name: 'other' });
    await world.resync();
    await world.resync();
    const end = world.fail({ verb: 'get', resource: configMap, status: 503 });
    await world.apply(settings('v2'));
    const { failures } = await world.resync();
    expect(failures).toEqual(
      [
        {
          key: 'shops.example.org default/one',
          reason: expect.any(String),
          message: expect.stringMatching(/^ConfigMap settings cannot be read: /),
          namespace: 'default',
        },
      ].map(({ namespace: _, ...one }) => expect.objectContaining(one)),
    );
    const { Ready, Reconciling } = await world.conditions(shop, 'one');
    expect([Ready?.status, Reconciling?.status]).toEqual(['False', 'True']);
    expect((await world.conditions(shop, 'other')).Ready?.status).toBe('True');
    expect((await templateOf(world)).image).toBe('web:v1');
    end();
    await world.resync();
    expect((await templateOf(world)).image).toBe('web:v2');
  });
});

describe('a resource that refers to Secrets', () => {
  it('rolls its pods when one changes, and reveals no value or digest', async () => {
    const lines: string[] = [];
    await using world = await createTestEnvironment(
      { kinds: [shop] },
      { onLog: (line) => lines.push(line) },
    );
    await world.apply(token('a', 'open sesame'));
    await world.apply(shop, { name: 'one', spec: { tokens: ['a', 'b'] } });
    await world.resync();
    const before = (await templateOf(world)).annotations;
    expect(Object.keys(before)).toEqual(['serverless-reconciler/secret-digest']);
    await world.apply(token('b', 'other'));
    await world.deliver();
    const after = (await templateOf(world)).annotations;
    expect(after).not.toEqual(before);
    const events = await world.events(shop, 'one');
    expect(events.map(({ message }) => message).join()).toContain('(secret changed)');
    const said = [...lines, JSON.stringify(events), JSON.stringify(await world.get(shop, 'one'))];
    for (const digest of [...Object.values(before), ...Object.values(after), 'b3BlbiBzZXNhbWU='])
      expect(said.join()).not.toContain(digest);
  });

  it('is invalid if no object can have the name', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(shop, { name: 'one', spec: { tokens: ['a/../b'] } });
    await world.resync();
    const { Stalled } = await world.conditions(shop, 'one');
    expect(Stalled).toMatchObject({
      reason: 'InvalidSpec',
      message: '"a/../b" is not a valid Secret name (reads.tokens)',
    });
  });

  it('is invalid if it refers to more objects than the limit', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    const tokens = Array.from({ length: 65 }, (_, at) => `t-${at}`);
    await world.apply(shop, { name: 'one', spec: { tokens } });
    await world.resync();
    expect((await world.conditions(shop, 'one')).Stalled).toMatchObject({
      reason: 'InvalidSpec',
      message: '65 references to objects exceed the limit of 64',
    });
  });
});

describe('the requests of a resync', () => {
  it.each([
    { resources: 8, want: { get: 8, list: 0 }, reason: 'few objects are read by name' },
    { resources: 9, want: { get: 0, list: 1 }, reason: 'many objects are read from one list' },
    {
      resources: 60,
      want: { get: 0, list: 1 },
      reason: 'any number of objects is read from one list',
    },
  ])('$resources resources: $reason', async ({ resources, want }) => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    for (let at = 0; at < resources; at++) {
      await world.apply(settings('v1', `settings-${at}`));
      await world.apply(shop, { name: `shop-${at}`, spec: { settings: `settings-${at}` } });
    }
    await world.resync();
    await world.resync();
    world.requests();
    await world.resync();
    const all = world.requests();
    const count = (verb: string) =>
      all.filter((one) => one.verb === verb && one.resource === 'configmaps').length;
    expect({ get: count('get'), list: count('list') }).toEqual(want);
    expect(all.filter(({ isWrite }) => isWrite)).toEqual([]);
  });

  it('include a shared object once', async () => {
    await using world = await createTestEnvironment({ kinds: [shop] });
    await world.apply(settings('v1'));
    for (let at = 0; at < 20; at++)
      await world.apply(shop, { name: `shop-${at}`, spec: { settings: 'settings' } });
    await world.resync();
    const read = world.requests().filter(({ resource }) => resource === 'configmaps');
    expect(read.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['get settings']);
  });
});

describe('a list that expires after its first page', () => {
  it('shows nothing, not even about the objects of the first page', async () => {
    const references = Array.from({ length: 9 }, (_, at) => ({
      type: configMap,
      namespace: 'default',
      name: `settings-${at}`,
    }));
    const objects = references.map(({ name }) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: {},
      metadata: {
        name,
        namespace: 'default',
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '',
      },
    }));
    const list: Cluster['list'] = async (_, __, each) => {
      for (const one of objects.slice(0, 2)) each(one);
      throw new KubeError('list configmaps', { code: 410, status: { reason: 'Expired' } });
    };
    const run = {
      cluster: { list } as Cluster,
      limits: { memory: openMemory(1_000_000, 0)('c') },
    } as Run;
    const found = await readReferences(run, { namespaces: undefined }, references);
    const read = references.map((one) => found.get(keyOfReference(one)));
    const failure = { reason: 'Expired', transient: true };
    expect(read).toMatchObject(references.map(() => ({ failure })));
  });
});

/** Gets an address once its controller is ready. */
const host = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Host',
  plural: 'hosts',
  spec: Type.Object({ zone: Type.String() }),
  status: { address: Type.Optional(Type.String()) },
  samples: [{ name: 'host', spec: { zone: 'a' } }],
  owns: [configMap],
  children: ({ name, spec }) => [child(configMap, { name, body: { data: { zone: spec.zone } } })],
  statusOf: ({ name, state }) => (state === 'Ready' ? { address: `${name}.internal` } : {}),
});

/** Owns a Host, and points its pods to it. */
const site = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  spec: Type.Object({ zone: Type.String() }),
  samples: [{ name: 'site', spec: { zone: 'a' } }],
  owns: [host, deployment],
  reads: { host: { type: host, name: ({ name }) => name } },
  children({ name, spec: { zone }, reads }) {
    const address = reads.host?.status?.address;
    const message = `Host ${name} has no address yet`;
    const labels = { site: name };
    const env = [{ name: 'HOST', value: address ?? '' }];
    const containers = [{ name: 'web', image: 'web:1', env }];
    const template = { metadata: { labels }, spec: { containers } };
    return [
      child(host, { name, body: { spec: { zone } } }),
      child(deployment, {
        name,
        ...(address === undefined
          ? { blocked: { reason: 'HostPending', message, transient: true } }
          : {}),
        body: { spec: { selector: { matchLabels: labels }, template } },
      }),
    ];
  },
});

const hostOf = async (world: TestEnvironment): Promise<string | undefined> => {
  const live = await world.get(deployment, 'one');
  const { containers } = (live?.spec as unknown as { template: { spec: { containers: unknown } } })
    ?.template.spec ?? { containers: undefined };
  return (containers as readonly { env: readonly { value: string }[] }[] | undefined)?.[0]?.env[0]
    ?.value;
};

describe('a resource that reads the status of its own child', () => {
  it('waits for it, continues after audit events, and then writes nothing', async () => {
    await using world = await createTestEnvironment({ kinds: [host, site] });
    await world.apply(site, { name: 'one', spec: { zone: 'a' } });
    await world.deliver();
    expect((await world.conditions(site, 'one')).Reconciling).toMatchObject({
      reason: 'HostPending',
      message:
        'Host one has no address yet; Host one: its controller has not observed the latest change yet',
    });
    let deliveries = 0;
    for (; (await world.deliver()).reconcileRequests.length > 0; deliveries++)
      expect(deliveries).toBeLessThan(10);
    expect(await hostOf(world)).toBe('one.internal');
    // The Deployment has become ready in the meantime.
    await world.resync();
    expect((await world.conditions(site, 'one')).Ready?.status).toBe('True');
    await world.resync();
    world.requests();
    await world.resync();
    expect(writesIn(world)).toEqual([]);
  });

  it('follows a status that another controller writes', async () => {
    await using world = await createTestEnvironment({ kinds: [site] }, {});
    await world.apply(
      customResourceDefinition(host) as unknown as Parameters<typeof world.apply>[0],
    );
    await world.apply(site, { name: 'one', spec: { zone: 'a' } });
    await world.resync();
    await world.patch(host, 'one', {
      body: { status: { address: 'elsewhere' } },
      subresource: 'status',
    });
    const { reconcileRequests: requests } = await world.deliver();
    expect(requests).toEqual([{ kind: 'sites.example.org', namespace: 'default', name: 'one' }]);
    expect(await hostOf(world)).toBe('elsewhere');
  });

  it('is Ready after one run that settles', async () => {
    await using world = await createTestEnvironment(
      { kinds: [host, site] },
      { environment: { SETTLE_SECONDS: '5' } },
    );
    await world.apply(site, { name: 'one', spec: { zone: 'a' } });
    const settled = world.resync();
    await expect.poll(() => world.get(host, 'one')).toBeDefined();
    await world.patch(host, 'one', {
      body: { status: { address: 'elsewhere' } },
      subresource: 'status',
    });
    await settled;
    expect(await hostOf(world)).toBe('elsewhere');
  });
});

/** Has a settings ConfigMap in each namespace that its own ConfigMap names. */
const team = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Team',
  plural: 'teams',
  scope: 'Cluster',
  spec: Type.Object({ home: Type.String() }),
  samples: [{ name: 'team', spec: { home: 'default' } }],
  owns: [configMap],
  reads: {
    settings: {
      type: configMap,
      name: ({ name, spec }) => ({ namespace: spec.home, name }),
      from: 'all',
    },
  },
  children: ({ name, spec, reads: { settings } }) => [
    child(configMap, {
      name: `${name}-tag`,
      namespace: spec.home,
      body: { data: { tag: settings?.data?.tag ?? 'none' } },
    }),
  ],
});

describe('a cluster-scoped resource', () => {
  it('follows an object in a namespace', async () => {
    await using world = await createTestEnvironment({ kinds: [team] });
    await world.apply(settings('v1', 'red'));
    await world.apply(team, { name: 'red', spec: { home: 'default' } });
    await world.resync();
    const tag = async () => (await world.get(configMap, 'red-tag'))?.data;
    expect(await tag()).toEqual({ tag: 'v1' });
    await world.apply(settings('v2', 'red'));
    const { reconcileRequests: requests } = await world.deliver();
    expect(requests).toEqual([{ kind: 'teams.example.org', name: 'red' }]);
    expect(await tag()).toEqual({ tag: 'v2' });
    world.requests();
    await world.resync();
    expect(writesIn(world)).toEqual([]);
  });
});
