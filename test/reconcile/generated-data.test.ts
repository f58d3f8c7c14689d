import { describe, expect, it } from 'vitest';
import { child, configMap, defineKind, deployment, secret, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { present } from '../../shared/json.ts';
import { createTestEnvironment, type TestEnvironment } from '../../testing/index.ts';
import { planOn } from '../properties/plan-on.ts';
import { openTestbed } from '../properties/testbed.ts';

/** A kind with a Secret that has generated data under the keys in its spec, and that no object uses. */
const ring = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Ring',
  plural: 'rings',
  spec: Type.Object({ keys: Type.Array(Type.String()), rotation: Type.Optional(Type.String()) }),
  samples: [],
  owns: [secret],
  children: ({ name, labels, spec: { keys, rotation } }) => [
    child(secret, {
      name,
      labels: { ...labels },
      annotations: { ...labels },
      body: { data: { fixed: 'eA==' } },
      generated: { keys, usedBy: [], rotation },
      onCollision: 'adopt-if-unowned',
    }),
  ],
});

async function dataOf(world: TestEnvironment): Promise<Readonly<Record<string, string>>> {
  const live = await world.get(secret, 'one');
  return (live?.data ?? {}) as Readonly<Record<string, string>>;
}

async function openRing(keys: readonly string[]) {
  const world = await createTestEnvironment({ kinds: [ring] });
  await world.apply(ring, { name: 'one', spec: { keys: [...keys] } });
  await world.resync();
  return world;
}

it('a value that is generated again changes no other', async () => {
  await using world = await openRing(['a', 'b']);
  const before = await dataOf(world);
  await world.patch(secret, 'one', { body: { data: { b: null } } });
  await world.resync();
  const after = await dataOf(world);
  expect(after).toEqual({ a: before.a, b: expect.any(String), fixed: 'eA==' });
  expect(after.b).not.toBe(before.b);
  await world.resync();
  expect(await dataOf(world)).toEqual(after);
});

it('a label and an annotation that are no longer desired leave the Secret', async () => {
  await using world = await createTestEnvironment({ kinds: [ring] });
  const apply = (labels: Readonly<Record<string, string>>) =>
    world.apply(ring, { name: 'one', labels, spec: { keys: ['a'], rotation: '1' } });
  await apply({ team: 'a' });
  await world.resync();
  expect((await world.get(secret, 'one'))?.metadata.labels).toMatchObject({ team: 'a' });
  await apply({});
  await world.resync();
  const { labels, annotations } = (await world.get(secret, 'one'))?.metadata ?? {};
  for (const map of [labels, annotations]) expect(map).not.toHaveProperty('team');
});

it('another generated key changes no existing value', async () => {
  await using world = await openRing(['a']);
  const before = await dataOf(world);
  await world.apply(ring, { name: 'one', spec: { keys: ['a', 'b'] } });
  await world.resync();
  expect(await dataOf(world)).toEqual({ ...before, b: expect.any(String) });
});

it('a value that a user has set stays, while another is generated', async () => {
  await using world = await openRing(['a', 'b']);
  await world.patch(secret, 'one', { body: { data: { a: 'bWluZQ==', b: null } } });
  await world.resync();
  expect(await dataOf(world)).toEqual({ a: 'bWluZQ==', b: expect.any(String), fixed: 'eA==' });
});

const user = { type: configMap, name: 'user' };
/** A kind whose ConfigMap uses a Secret without needing it. */
const chain = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Chain',
  plural: 'chains',
  spec: Type.Object({
    keys: Type.Array(Type.String(), { default: ['a'] }),
    rotation: Type.Optional(Type.String()),
  }),
  samples: [],
  owns: [configMap, secret],
  children: ({ name, spec }) => [
    child(secret, { name, body: {}, generated: { ...spec, usedBy: [user] } }),
    child(configMap, { ...user, body: {} }),
  ],
});

it('a child that uses generated data is created once the data exists', async () => {
  await using world = await createTestEnvironment({ kinds: [chain] });
  await world.apply(chain, { name: 'one', spec: {} });
  const end = world.fail({ verb: 'patch', resource: secret, status: 503 });
  await world.resync();
  expect(await world.get(configMap, 'user')).toBeUndefined();
  end();
  await world.resync();
  expect(await world.get(configMap, 'user')).toBeDefined();
  expect(await dataOf(world)).toEqual({ a: expect.any(String) });
  await world.delete(configMap, 'user');
  await world.resync();
  expect((await world.conditions(chain, 'one')).Ready?.status).toBe('True');
});

/** Makes the Secret unusable, and returns what makes it usable again. */
const obstacles: Record<string, (world: TestEnvironment) => Promise<() => unknown>> = {
  'is foreign': async (world) => {
    await world.delete(secret, 'one');
    await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } });
    return () => world.delete(secret, 'one');
  },
  'is being deleted': async (world) => {
    const setFinalizers = (finalizers: string[] | null) =>
      world.patch(secret, 'one', { body: { metadata: { finalizers } } });
    await setFinalizers(['example.org/slow']);
    await world.delete(secret, 'one');
    return () => setFinalizers(null);
  },
  'is empty and cannot be written': async (world) => {
    await world.patch(secret, 'one', { body: { data: null } });
    return world.fail({ verb: 'patch', resource: secret, status: 503 });
  },
};

it.each(Object.entries(obstacles))(
  'no child that uses generated data is created while the Secret %s',
  async (_, obstruct) => {
    await using world = await createTestEnvironment({ kinds: [chain] });
    await world.apply(chain, { name: 'one', spec: {} });
    await world.resync();
    await world.delete(configMap, 'user');
    const end = await obstruct(world);
    await world.resync();
    expect(await world.get(configMap, 'user')).toBeUndefined();
    await end();
    for (let runs = 0; runs < 2; runs++) await world.resync();
    expect((await world.conditions(chain, 'one')).Ready?.status).toBe('True');
    expect(await dataOf(world)).toEqual({ a: expect.any(String) });
  },
);

it('the message about an issuer that is no authority names the remedy', async () => {
  const signed = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Signed',
    plural: 'signeds',
    spec: Type.Object({}),
    samples: [],
    owns: [secret],
    children: ({ name }) => [
      child(secret, { name: 'ca', body: {} }),
      child(secret, {
        name,
        body: {},
        generated: { certificate: { issuer: 'ca', dnsNames: ['a.example.org'] }, usedBy: [] },
      }),
    ],
  });
  await using world = await createTestEnvironment({ kinds: [signed] });
  await world.apply(signed, { name: 'one', spec: {} });
  await world.resync();
  expect((await world.conditions(signed, 'one')).Ready?.message).toContain(
    'Secret ca, the issuer, lacks tls.crt or tls.key: restore both, or let a kind generate an authority',
  );
});

describe('the rotation of generated data', () => {
  const request = (world: TestEnvironment, rotation: string | undefined) =>
    world.apply(ring, { name: 'one', spec: { keys: ['a', 'b'], ...present({ rotation }) } });

  it('generates all values again, once for each text, and keeps other data', async () => {
    await using world = await openRing(['a', 'b']);
    const seen = [await dataOf(world)];
    for (const rotation of ['2026-11', '2026-12']) {
      await request(world, rotation);
      await world.resync();
      const now = await dataOf(world);
      for (const { a, b } of seen) {
        expect(now.a).not.toBe(a);
        expect(now.b).not.toBe(b);
      }
      expect(now).toEqual({ a: expect.any(String), b: expect.any(String), fixed: 'eA==' });
      await world.resync();
      world.requests();
      await world.resync();
      expect(await dataOf(world)).toEqual(now);
      expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
      seen.push(now);
    }
  });

  it('happens neither if its text is removed, nor for a new resource, nor twice for a long text', async () => {
    await using world = await createTestEnvironment({ kinds: [ring] });
    for (const rotation of ['x'.repeat(300), '', undefined]) {
      await request(world, rotation);
      await world.resync();
      const before = await dataOf(world);
      await world.resync();
      expect(await dataOf(world)).toEqual(before);
    }
  });

  it('adds a key to a Secret in use, to which none is added otherwise', async () => {
    await using world = await createTestEnvironment({ kinds: [chain] });
    await world.apply(chain, { name: 'one', spec: {} });
    await world.resync();
    const before = await dataOf(world);
    const keys = ['a', 'b'];
    await world.apply(chain, { name: 'one', spec: { keys } });
    await world.resync();
    expect((await world.conditions(chain, 'one')).Stalled?.reason).toBe('CredentialsLost');
    expect(await dataOf(world)).toEqual(before);
    await world.apply(chain, { name: 'one', spec: { keys, rotation: '1' } });
    await world.resync();
    const after = await dataOf(world);
    expect(after).toEqual({ a: expect.any(String), b: expect.any(String) });
    expect(after.a).not.toBe(before.a);
    await world.resync();
    expect(await dataOf(world)).toEqual(after);
    expect((await world.conditions(chain, 'one')).Ready?.status).toBe('True');
  });

  it('does not replace the data of a Secret that is adopted, until its text changes', async () => {
    await using world = await createTestEnvironment({ kinds: [ring] });
    const labels = {
      'app.kubernetes.io/managed-by': 'serverless-reconciler',
      'app.kubernetes.io/part-of': 'ring',
      'app.kubernetes.io/instance': 'one',
    };
    const data = { a: 'YQ==', b: 'Yg==', fixed: 'eA==' };
    await world.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      data,
      metadata: { name: 'one', labels },
    });
    await request(world, '2026-11');
    for (let runs = 0; runs < 3; runs++) await world.resync();
    expect((await world.conditions(ring, 'one')).Ready?.status).toBe('True');
    expect(await dataOf(world)).toEqual(data);
    await request(world, '2026-12');
    await world.resync();
    expect((await dataOf(world)).a).not.toBe(data.a);
  });

  const restoredPair = { keyPair: { privateKey: 'id', publicKey: 'id.pub' }, rotation: '1' };
  it.each([
    ['certificate', 'created', { certificate: { commonName: 'ca' } }],
    ['certificate', 'replaced', { certificate: { commonName: 'ca' } }],
    ['key pair', 'created', restoredPair],
    ['key pair', 'replaced', restoredPair],
  ])('keeps a restored %s that was %s without annotations', async (_, how, made) => {
    const kept = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Kept',
      plural: 'kepts',
      spec: Type.Object({}),
      samples: [],
      owns: [secret],
      children: ({ name }) => [
        child(secret, {
          name,
          body: {},
          generated: { ...made, usedBy: [] },
          onCollision: 'adopt-if-unowned',
        }),
      ],
    });
    await using world = await createTestEnvironment({ kinds: [kept] });
    await world.apply(kept, { name: 'one', spec: {} });
    await world.resync();
    // Replaces the certificate, so that the values have two certificates, too long for a plan.
    await world.patch(secret, 'one', {
      body: { metadata: { annotations: { 'serverless-reconciler/rotation': 'former' } } },
    });
    await world.resync();
    const before = await dataOf(world);
    const live = (await world.get(secret, 'one')) ?? expect.fail('it does not exist');
    const { labels } = live.metadata;
    // The values of a replaced Secret keep our field managers.
    if (how === 'replaced')
      await world.replace(secret, {
        ...live,
        metadata: { ...live.metadata, annotations: {}, ownerReferences: [] },
      });
    else {
      await world.delete(secret, 'one');
      const metadata = { name: 'one', labels };
      await world.apply({ apiVersion: 'v1', kind: 'Secret', data: before, metadata });
    }
    for (let runs = 0; runs < 3; runs++) await world.resync();
    expect((await world.conditions(kept, 'one')).Ready?.status).toBe('True');
    expect(await dataOf(world)).toEqual(before);
  });

  it('does not sign certificates again for an authority that was restored', async () => {
    const signed = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Signed',
      plural: 'signeds',
      spec: Type.Object({}),
      samples: [],
      owns: [secret],
      children: () => [
        child(secret, {
          name: 'ca',
          body: {},
          generated: { certificate: { commonName: 'ca' }, usedBy: [] },
          onCollision: 'adopt-if-unowned',
        }),
        child(secret, {
          name: 'one',
          body: {},
          generated: { certificate: { issuer: 'ca', dnsNames: ['one'] }, usedBy: [] },
        }),
      ],
    });
    await using world = await createTestEnvironment({ kinds: [signed] });
    await world.apply(signed, { name: 'one' });
    await world.resync();
    const before = await dataOf(world);
    const authority = await world.get(secret, 'ca');
    await world.delete(secret, 'ca');
    await world.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      data: authority?.data,
      metadata: { name: 'ca', labels: authority?.metadata.labels },
    });
    for (let runs = 0; runs < 3; runs++) await world.resync();
    expect((await world.conditions(signed, 'one')).Ready?.status).toBe('True');
    expect(await dataOf(world)).toEqual(before);
  });

  it('is shown in a plan without values', async () => {
    const testbed = await openTestbed({ kinds: [ring] });
    const { api, run } = await testbed.open();
    let cluster: Cluster | undefined;
    await api.create(ring, 'one', { spec: { keys: ['a', 'b'] } });
    const through = (port: Cluster): Cluster => {
      cluster = port;
      return port;
    };
    await run({ through });
    await api.patch(ring, 'one', { spec: { rotation: '2026-11' } });
    const { resources } = await planOn(cluster!, [ring]);
    const changed = (key: string) => ({
      path: `data.${key}`,
      from: '(secret)',
      to: '(secret changed)',
      writer: undefined,
    });
    expect(resources[0]?.actions).toEqual([
      expect.objectContaining({ verb: 'update', differences: [changed('a'), changed('b')] }),
    ]);
    await api.patch(ring, 'one', { metadata: { labels: { team: 'a' } } });
    const [found] = (await planOn(cluster!, [ring])).resources;
    expect(found?.actions.map((one) => 'differences' in one && one.differences)).toEqual([
      expect.arrayContaining([
        expect.objectContaining({ path: 'metadata.labels.team', to: 'a' }),
        changed('a'),
        changed('b'),
      ]),
    ]);
    testbed.stop();
  });
});

it('users of a Secret that lost its data wait while one of them cannot be read', async () => {
  const users = ['user', 'other'].map((name) => ({ type: configMap, name }));
  const chain = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Chain',
    plural: 'chains',
    spec: Type.Object({}),
    samples: [],
    owns: [configMap, secret],
    children: ({ name }) => [
      child(secret, { name, body: {}, generated: { keys: ['a'], usedBy: users } }),
      ...users.map((one) => child(configMap, { ...one, body: {} })),
    ],
  });
  await using world = await createTestEnvironment({ kinds: [chain] });
  await world.apply(chain, { name: 'one', spec: {} });
  await world.resync();
  for (const { name } of users) await world.delete(configMap, name);
  await world.patch(secret, 'one', { body: { data: null } });
  const end = world.fail({ verb: 'get', resource: configMap, name: 'user', status: 503 });
  await world.resync();
  expect(await world.get(configMap, 'other')).toBeUndefined();
  end();
  await world.resync();
  await world.resync();
  expect((await world.conditions(chain, 'one')).Ready?.status).toBe('True');
});

/** A kind with two Deployments that use a generated password. */
const pair = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Pair',
  plural: 'pairs',
  spec: Type.Object({ rotation: Type.Optional(Type.String()) }),
  samples: [],
  owns: [secret, deployment],
  children({ name, spec: { rotation } }) {
    const users = ['a', 'b'].map((app) => {
      const template = {
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      };
      const body = { spec: { selector: { matchLabels: { app } }, template } };
      return child(deployment, { name: `${name}-${app}`, body });
    });
    const generated = { keys: ['password'], usedBy: users, rotation };
    return [child(secret, { name, body: {}, generated }), ...users];
  },
});

describe('lost data with several users', () => {
  const losses: Record<string, (world: TestEnvironment) => Promise<unknown>> = {
    'The Secret': (world) => world.delete(secret, 'one'),
    'A key': (world) => world.patch(secret, 'one', { body: { data: { password: null } } }),
  };
  async function openLost(lose: (world: TestEnvironment) => Promise<unknown>) {
    const world = await createTestEnvironment({ kinds: [pair] });
    await world.apply(pair, { name: 'one', spec: {} });
    for (let runs = 0; runs < 2; runs++) await world.resync();
    await lose(world);
    await world.resync();
    const { Stalled } = await world.conditions(pair, 'one');
    expect(Stalled).toMatchObject({ reason: 'CredentialsLost' });
    return { world, message: Stalled?.message ?? '' };
  }

  it.each(Object.entries(losses))(
    '%s is generated again after the deletions in the message',
    async (_, lose) => {
      const { world, message } = await openLost(lose);
      await using _world = world;
      const [, named = ''] = /if the data is no longer needed, delete (.*)$/.exec(message) ?? [];
      expect(named).toMatch(/Deployment one-a, Deployment one-b$/);
      for (const title of named.split(', ')) {
        const [kind, name = ''] = title.split(' ');
        await world.delete(kind === 'Secret' ? secret : deployment, name);
        await world.resync();
      }
      await world.resync();
      expect(Object.keys(await dataOf(world))).toEqual(['password']);
      expect((await world.conditions(pair, 'one')).Stalled).toBeUndefined();
      expect(await world.list(deployment)).toHaveLength(2);
    },
  );

  it.each([
    ['A key', true],
    ['The Secret', false],
  ])(
    '%s is generated again by another rotation, if the message says so: %s',
    async (lost, isGenerated) => {
      const { world, message } = await openLost(losses[lost] ?? expect.fail());
      await using _world = world;
      expect(message.includes('change the `rotation`')).toBe(isGenerated);
      await world.apply(pair, { name: 'one', spec: { rotation: 'new' } });
      await world.resync();
      expect(Object.keys(await dataOf(world))).toEqual(isGenerated ? ['password'] : []);
    },
  );
});
