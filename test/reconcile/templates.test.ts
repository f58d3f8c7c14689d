import { describe, expect, it } from 'vitest';
import {
  child,
  defineKind,
  deployment,
  digestOf,
  job,
  secret,
  secretValue,
  Type,
  template,
  workloadName,
} from '../../index.ts';
import { checkKind } from '../../infra/check/check-kind.ts';
import type { ReadDefinitions } from '../../shared/kinds/reads.ts';
import {
  createTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../../testing/index.ts';
import { userSecret, vault } from '../support/vault.ts';

const text = (value: unknown): string => Buffer.from(String(value), 'base64').toString();

async function dataOf(world: TestEnvironment, name: string) {
  const live = await world.get(secret, name);
  const data = (live?.data ?? {}) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, text(value)]));
}

const digestIn = async (world: TestEnvironment) =>
  JSON.stringify((await world.get(deployment, 'one'))?.spec).match(/secret-digest":"(\w+)/)?.[1];

/** Opens a world with a Vault whose Secrets exist. */
async function openVault(options: TestEnvironmentOptions = {}) {
  const world = await createTestEnvironment({ kinds: [vault] }, options);
  await world.apply(userSecret('user', 'anna/1'));
  await world.apply(vault, { name: 'one', spec: { user: 'user' } });
  for (let passes = 0; passes < 3; passes++) await world.resync();
  return world;
}

describe('a Secret with values of other Secrets', () => {
  it('has their values, generated ones included, and is not written without changes', async () => {
    await using world = await openVault();
    const { password } = await dataOf(world, 'one-password');
    expect(await dataOf(world, 'one-url')).toEqual({
      host: 'db',
      name: 'anna/1',
      url: `db://anna%2F1:${password}@db`,
    });
    expect((await world.conditions(vault, 'one')).Ready?.status).toBe('True');
    world.requests();
    await world.resync();
    expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
  });

  it('follows a source, and its pods restart', async () => {
    await using world = await openVault();
    const before = await digestIn(world);
    await world.apply(userSecret('user', 'berta'));
    const { reconcileRequests } = await world.deliver();
    expect(reconcileRequests).toEqual([
      { kind: 'vaults.example.org', namespace: 'default', name: 'one' },
    ]);
    expect(await dataOf(world, 'one-url')).toMatchObject({ name: 'berta' });
    expect(await digestIn(world)).not.toBe(before);
  });

  it('is Stalled, and generate complains, if the kind does not read the source', async () => {
    const problem =
      "Secret user is not read by the kind; add it to `reads`, with `from: 'granted'` if it is in another namespace";
    const unread = namingOf({ other: { type: secret, name: () => 'other' } });
    await using world = await createTestEnvironment({ kinds: [unread] });
    await world.apply(userSecret('user', 'anna'));
    await world.apply(unread, { name: 'one', spec: {} });
    await world.resync();
    expect((await world.conditions(unread, 'one')).Stalled).toMatchObject({
      reason: 'ValueMissing',
      message: `Secret one waits: ${problem}`,
    });
    expect(checkKind(unread)).toEqual([`Naming: sample naming: Secret naming: ${problem}`]);
    expect(checkKind(namingOf({ user: { type: secret, name: () => 'user' } }))).toEqual([]);
  });

  it.each([
    ['changed', { url: 'bWluZQ==' }],
    ['removed', { url: null }],
  ])('is repaired after a value was %s', async (_, data) => {
    await using world = await openVault();
    const before = await dataOf(world, 'one-url');
    await world.patch(secret, 'one-url', { body: { data } });
    await world.deliver();
    expect(await dataOf(world, 'one-url')).toEqual(before);
  });

  it('is not changed while a source is missing, and the condition names that', async () => {
    await using world = await openVault();
    const behind = '; Deployment one waits for Secret one-url';
    const before = await dataOf(world, 'one-url');
    await world.delete(secret, 'user');
    await world.deliver();
    expect((await world.conditions(vault, 'one')).Stalled).toMatchObject({
      reason: 'ValueMissing',
      message: `Secret one-url waits: Secret user does not exist${behind}`,
    });
    expect(await dataOf(world, 'one-url')).toEqual(before);
    await world.apply({ ...userSecret('user', 'x'), data: { other: 'eA==' } });
    await world.deliver();
    expect((await world.conditions(vault, 'one')).Stalled?.message).toBe(
      `Secret one-url waits: Secret user has no name${behind}`,
    );
    await world.apply(userSecret('user', 'clara'));
    await world.deliver();
    expect(await dataOf(world, 'one-url')).toMatchObject({ name: 'clara' });
  });

  it('follows a rotation of data that the resource generates, and its pods restart', async () => {
    await using world = await openVault();
    const [digest, { password }] = [await digestIn(world), await dataOf(world, 'one-password')];
    await world.apply(vault, { name: 'one', spec: { user: 'user', rotation: '2026-11' } });
    await world.deliver();
    await world.deliver();
    const after = (await dataOf(world, 'one-password')).password;
    expect(after).not.toBe(password);
    expect(await dataOf(world, 'one-url')).toMatchObject({ url: `db://anna%2F1:${after}@db` });
    expect(await digestIn(world)).not.toBe(digest);
  });

  it('follows a rotation before the resource is Ready', async () => {
    await using world = await openVault();
    const { password } = await dataOf(world, 'one-password');
    const url = await dataOf(world, 'one-url');
    await world.apply(vault, { name: 'one', spec: { user: 'user', rotation: '2026-11' } });
    await world.resync();
    expect(await dataOf(world, 'one-password')).not.toEqual({ password });
    expect(await dataOf(world, 'one-url')).toEqual(url);
    expect((await world.conditions(vault, 'one')).Ready).toMatchObject({
      status: 'False',
      reason: 'DependencyPending',
      message: 'Secret one-password was written; the children that depend on it follow',
    });
    expect((await world.get(vault, 'one'))?.status).toMatchObject({ observedGeneration: 1 });
    await world.resync();
    expect(await dataOf(world, 'one-url')).not.toEqual(url);
    await world.resync();
    expect((await world.conditions(vault, 'one')).Ready?.status).toBe('True');
  });

  it('follows a rotation in the same run if runs settle', async () => {
    await using world = await openVault({ environment: { SETTLE_SECONDS: '10' } });
    const digest = await digestIn(world);
    const generation = (await world.get(deployment, 'one'))?.metadata.generation ?? 0;
    await world.apply(vault, { name: 'one', spec: { user: 'user', rotation: '2026-11' } });
    await world.resync();
    const { password } = await dataOf(world, 'one-password');
    expect(await dataOf(world, 'one-url')).toMatchObject({ url: `db://anna%2F1:${password}@db` });
    expect((await world.get(deployment, 'one'))?.metadata.generation).toBe(generation + 1);
    expect(await digestIn(world)).not.toBe(digest);
    expect((await world.conditions(vault, 'one')).Ready?.status).toBe('True');
  });

  it('waits for a source that the resource generates', async () => {
    await using world = await createTestEnvironment({ kinds: [vault] });
    await world.apply(userSecret('user', 'anna'));
    await world.apply(vault, { name: 'one', spec: { user: 'user' } });
    await world.resync();
    expect((await world.conditions(vault, 'one')).Reconciling).toMatchObject({
      reason: 'ValueMissing',
      message: expect.stringContaining('one-url waits: Secret one-password does not exist'),
    });
    await world.deliver();
    expect(await dataOf(world, 'one-url')).toMatchObject({ name: 'anna' });
    await world.resync();
    expect((await world.conditions(vault, 'one')).Ready?.status).toBe('True');
  });

  it('has the value of the granted Secret that it names, not of one with that name at home', async () => {
    await using world = await createTestEnvironment({ kinds: [loan] });
    await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
    const lent = { namespace: 'platform', name: 'user', annotations: grant };
    await world.apply({ ...userSecret('user', 'lent'), metadata: lent });
    await world.apply(userSecret('user', 'own'));
    await world.apply(loan, { name: 'one', spec: {} });
    await world.resync();
    expect(await dataOf(world, 'one')).toEqual({ lent: 'lent', own: 'own' });
  });

  it('waits for a Secret of another namespace, even if the resource wants one of that name', async () => {
    await using world = await createTestEnvironment({ kinds: [loan] });
    await world.apply(loan, { name: 'user', spec: {} });
    await world.resync();
    expect((await world.conditions(loan, 'user')).Stalled).toMatchObject({
      reason: 'ValueMissing',
      message:
        'Secret user waits: Secret platform/user does not exist, or is not granted to default/loans.example.org by its annotation serverless-reconciler/readable-by',
    });
  });
});

/** Signs out of a broker, with a copy of the credentials that the platform lends. */
const session = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Session',
  plural: 'sessions',
  spec: Type.Object({}),
  samples: [],
  owns: [secret, job],
  reads: {
    lent: { type: secret, name: () => ({ namespace: 'platform', name: 'user' }), from: 'granted' },
  },
  children: ({ name, reads }) => [copyOf(name, reads.lent)],
  finalize({ name, reads }) {
    const copy = copyOf(name, reads.lent);
    const envFrom = [{ secretRef: { name: copy.name } }];
    const containers = [{ name: 'out', image: 'broker:1', envFrom }];
    const template = { spec: { restartPolicy: 'Never' as const, containers } };
    return [copy, child(job, { name: `${name}-out`, needs: [copy], body: { spec: { template } } })];
  },
});
type Source = Parameters<typeof secretValue>[0];
const copyOf = (name: string, source: Source = { namespace: 'platform', name: 'user' }) =>
  child(secret, { name, body: {}, templates: { name: secretValue(source, 'name') } });

describe('a clean-up with a copy of a Secret that is no longer granted', () => {
  async function openSession() {
    const world = await createTestEnvironment({ kinds: [session] });
    await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
    const annotations = { 'serverless-reconciler/readable-by': '*/sessions.example.org' };
    const lent = {
      ...userSecret('user', 'lent'),
      metadata: { namespace: 'platform', name: 'user' },
    };
    await world.apply({ ...lent, metadata: { ...lent.metadata, annotations } });
    await world.apply(session, { name: 'one', spec: {} });
    await world.resync();
    expect(await dataOf(world, 'one')).toEqual({ name: 'lent' });
    await world.patch(secret, 'user', {
      namespace: 'platform',
      body: { metadata: { annotations: null } },
    });
    return world;
  }

  it('continues with the copy', async () => {
    await using world = await openSession();
    await world.resync();
    expect((await world.conditions(session, 'one')).Stalled?.reason).toBe('ValueMissing');
    await world.delete(session, 'one');
    await world.resync();
    expect(await world.get(job, 'one-out')).toBeDefined();
    await world.resync();
    expect(await world.get(session, 'one')).toBeUndefined();
  });

  it('waits if the copy is gone, too, and the condition says for what', async () => {
    await using world = await openSession();
    await world.delete(secret, 'one');
    await world.delete(session, 'one');
    await world.resync();
    expect(await world.get(job, 'one-out')).toBeUndefined();
    expect((await world.conditions(session, 'one')).Stalled).toMatchObject({
      reason: 'ValueMissing',
      message: expect.stringMatching(
        /^Secret one waits: Secret platform\/user .*; Job one-out waits/,
      ),
    });
  });
});

/** Makes a Secret of one that it names. */
const namingOf = (reads: ReadDefinitions<unknown>) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Naming',
    plural: 'namings',
    spec: Type.Object({}),
    samples: [{ name: 'naming', spec: {} }],
    owns: [secret],
    reads,
    children: ({ name }) => [
      child(secret, {
        name,
        body: {},
        templates: { name: secretValue({ name: 'user' }, 'name') },
      }),
    ],
  });

const grant = { 'serverless-reconciler/readable-by': '*/loans.example.org' };

/** Copies two Secrets of one name, from its own namespace and from another. */
const loan = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Loan',
  plural: 'loans',
  spec: Type.Object({}),
  samples: [],
  owns: [secret],
  reads: {
    lent: { type: secret, name: () => ({ namespace: 'platform', name: 'user' }), from: 'granted' },
    own: { type: secret, name: () => 'user' },
  },
  children({ name, reads }) {
    const lent = reads.lent ?? { namespace: 'platform', name: 'user' };
    const own = reads.own ?? { name: 'user' };
    const templates = { lent: secretValue(lent, 'name'), own: secretValue(own, 'name') };
    return [child(secret, { name, body: {}, templates })];
  },
});

/** Sets the generated password in a database by a Job. */
const account = defineKind({
  group: 'test.example.com',
  version: 'v1',
  kind: 'Account',
  plural: 'accounts',
  spec: Type.Object({ rotation: Type.Optional(Type.String({ maxLength: 10 })) }),
  samples: [],
  owns: [secret, job],
  reads: { key: { type: secret, name: ({ name }) => `${name}-key` } },
  children({ name, spec: { rotation }, reads }) {
    const key = child(secret, {
      name: `${name}-key`,
      body: {},
      generated: { keys: ['password'], rotation, usedBy: [] },
    });
    const password = secretValue(reads.key ?? { name: key.name }, 'password');
    const login = child(secret, {
      name: `${name}-login`,
      body: {},
      templates: { sql: template`ALTER USER app PASSWORD '${password}'` },
    });
    const container = {
      name: 'psql',
      image: 'psql',
      envFrom: [{ secretRef: { name: login.name } }],
    };
    const set = child(job, {
      name: workloadName(`${name}-${digestOf(rotation ?? '').slice(0, 8)}`),
      step: 'each-time',
      needs: [key, login],
      body: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    });
    return [key, login, set];
  },
});

/** Has a generated password, and an address with it. */
const binding = defineKind({
  group: 'test.example.com',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  spec: Type.Object({ rotation: Type.Optional(Type.String({ maxLength: 10 })) }),
  samples: [],
  owns: [secret],
  reads: { own: { type: secret, name: ({ name }) => `${name}-bind` } },
  children({ name, spec: { rotation }, reads }) {
    const own = `${name}-bind`;
    const password = secretValue(reads.own ?? { name: own }, 'password');
    return [
      child(secret, {
        name: own,
        body: {},
        generated: { keys: ['password'], rotation, usedBy: [] },
        templates: { uri: template`db://app:${password}@db` },
      }),
    ];
  },
});

const settling = { environment: { SETTLE_SECONDS: '10' } };

describe('what is made of a generated Secret', () => {
  it.each(['', 'second'])(
    'follows it before a step that needs both, rotation %j',
    async (rotation) => {
      await using world = await createTestEnvironment({ kinds: [account] }, settling);
      const seen: unknown[] = [];
      world.cluster.intercept(async ({ resource, verb }) => {
        if (resource !== 'jobs' || verb !== 'patch') return;
        const [{ password }, { sql }] = [
          await dataOf(world, 'a-key'),
          await dataOf(world, 'a-login'),
        ];
        seen.push(sql === `ALTER USER app PASSWORD '${password}'`);
      });
      await world.apply(account, { name: 'a', spec: {} });
      await world.resync();
      expect(seen.every((one) => one === true)).toBe(true);
      expect((await world.list(job)).length).toBe(1);
      if (rotation === '') return;
      const { password } = await dataOf(world, 'a-key');
      const before = seen.length;
      await world.patch(account, 'a', { body: { spec: { rotation } } });
      await world.deliver();
      expect((await dataOf(world, 'a-key')).password).not.toBe(password);
      expect(seen.length).toBeGreaterThan(before);
      expect(seen).not.toContain(false);
    },
  );

  it('may be in the same Secret, and follows a rotation within the run', async () => {
    await using world = await createTestEnvironment({ kinds: [binding] }, settling);
    await world.apply(binding, { name: 'a', spec: {} });
    await world.resync();
    const before = await dataOf(world, 'a-bind');
    expect(before.uri).toBe(`db://app:${before.password}@db`);
    // The second write, with the address, is part of the creation.
    expect(await world.events(binding, 'a')).toEqual([]);
    await world.patch(binding, 'a', { body: { spec: { rotation: 'second' } } });
    await world.deliver();
    const after = await dataOf(world, 'a-bind');
    expect(after.password).not.toBe(before.password);
    expect(after.uri).toBe(`db://app:${after.password}@db`);
    expect((await world.conditions(binding, 'a')).Ready?.status).toBe('True');
    world.requests();
    await world.resync();
    expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
  });

  it('keeps the value if someone empties the generated one', async () => {
    await using world = await openVault();
    const before = await dataOf(world, 'one-url');
    await world.patch(secret, 'one-password', { body: { data: { password: '' } } });
    await world.resync();
    expect((await world.conditions(vault, 'one')).Stalled?.reason).toBe('CredentialsLost');
    expect(await dataOf(world, 'one-url')).toEqual(before);
  });
});
