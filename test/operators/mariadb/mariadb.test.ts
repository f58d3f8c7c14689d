import { cronJob, defineConfig } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  expectReliable,
} from 'serverless-reconciler/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isWhole } from '../../properties/runs.ts';
import { definitionOf } from '../definition.ts';
import { grant } from './grant.ts';
import { externalServer, server } from './job.ts';
import { database } from './mariadb.ts';
import { user } from './user.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const inDefault = (kind: string, name: string) => ({ kind, metadata: { name } });
const apiVersion = 'k8s.mariadb.com/v1alpha1';
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const given = [
  ...[definitionOf(server), definitionOf(externalServer)],
  {
    apiVersion,
    ...inDefault('MariaDB', 'mariadb'),
    status: ready,
    spec: { rootPasswordSecretKeyRef: { name: 'root', key: 'password' } },
  },
  {
    apiVersion,
    ...inDefault('ExternalMariaDB', 'far'),
    status: ready,
    spec: {
      host: 'db.example.org',
      username: 'admin',
      passwordSecretKeyRef: { name: 'root', key: 'password' },
    },
  },
  { apiVersion: 'v1', ...inDefault('Secret', 'root'), data: { password: 'cm9vdA==' } },
  { apiVersion: 'v1', ...inDefault('Secret', 'shop'), data: { password: 'c2hvcA==' } },
];

const all = defineConfig({ kinds: [database, user, grant] });
const mariaDbRef = { name: 'mariadb' };
const shop = { name: 'shop', key: 'password' };

test.each([
  ['a Database', database, {}, 'shop-create-'],
  ['a User', user, { passwordSecretKeyRef: shop }, 'shop-create-'],
  ['a locked User', user, {}, 'shop-create-'],
  ['a User with a hash', user, { passwordHashSecretKeyRef: shop }, 'shop-create-'],
  [
    'a User with a plugin',
    user,
    { passwordPlugin: { pluginNameSecretKeyRef: shop }, require: { ssl: true } },
    'shop-create-',
  ],
  ['a Grant', grant, { privileges: ['SELECT'], username: 'shop' }, 'shop-grant-'],
  [
    'a Database on a server elsewhere',
    database,
    { mariaDbRef: { name: 'far', kind: 'ExternalMariaDB' } },
    'shop-create-',
  ],
])('expectConverged accepts %s', async (_, kind, spec, made) => {
  const resource = { name: 'shop', spec: { mariaDbRef, ...spec } };
  const { children } = await expectConverged(all, { kind, given, resource });
  expect(children).toEqual([expect.stringMatching(`^Job ${made}`)]);
});

test.each([database, user, grant])('expectReliable accepts a $kind', async (kind) => {
  await expectReliable(all, { kind, given, ...search });
});

test('expectConverged accepts a Database that is created again at an interval', async () => {
  const resource = { name: 'shop', spec: { mariaDbRef, requeueInterval: '1h' } };
  const { children } = await expectConverged(all, { kind: database, given, resource });
  expect(children).toEqual([expect.stringMatching(/^Job /), 'CronJob shop-requeue']);
});

test.each([
  ['30s', '*/1 * * * *'],
  ['7m', '*/10 * * * *'],
  ['31m', '0 */1 * * *'],
  ['5h', '0 */6 * * *'],
  ['13h', '0 0 * * *'],
])(
  'a Database that someone drops is created again at the schedule %s',
  async (requeueInterval, schedule) => {
    const resource = { name: 'shop', spec: { mariaDbRef, requeueInterval } };
    const env = await createTestEnvironment({ kinds: [database] });
    onTestFinished(() => env.close());
    for (const one of given) await env.apply(one);
    await env.apply(database, resource);
    await env.resync();
    await env.resync();
    expect((await env.get(cronJob, 'shop-requeue'))?.spec).toMatchObject({ schedule });
  },
);

test('a Database waits until its server is ready', async () => {
  const env = await createTestEnvironment({ kinds: [database] });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  const starting = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
  await env.patch(server, 'mariadb', { body: starting, subresource: 'status' });
  await env.apply(database, { name: 'shop', spec: { mariaDbRef } });
  const impatient = { mariaDbRef: { ...mariaDbRef, waitForIt: false } };
  await env.apply(database, { name: 'now', spec: impatient });
  await env.resync();
  expect(await env.children(database, 'shop')).toEqual([]);
  expect(await env.children(database, 'now')).toHaveLength(1);
  expect((await env.conditions(database, 'shop')).Ready?.message).toContain('MariaDB mariadb');
});

test('privileges in two Grants are revoked only with the last of them', async () => {
  const env = await createTestEnvironment({ kinds: [user, grant] });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  const spec = { mariaDbRef, username: 'shop', database: 'shop' };
  await env.apply(grant, { name: 'reading', spec: { ...spec, privileges: ['SELECT', 'INSERT'] } });
  await env.apply(grant, { name: 'writing', spec: { ...spec, privileges: ['INSERT'] } });
  await env.resync();
  const sqlOf = async (name: string) => JSON.stringify(await env.children(grant, name));
  expect(await sqlOf('writing')).toContain('GRANT INSERT, SELECT ON');
  await env.patch(grant, 'reading', { body: { spec: { privileges: ['SELECT', 'DELETE'] } } });
  await env.resync();
  expect(await sqlOf('reading')).toContain('GRANT DELETE, INSERT, SELECT ON');

  env.cluster.controllers.pause();
  await env.delete(grant, 'reading');
  await env.resync();
  const revoking = await sqlOf('reading');
  expect(revoking).toContain('REVOKE DELETE');
  expect(revoking).toContain('REVOKE SELECT');
  expect(revoking).not.toContain('REVOKE INSERT');
});

test('a Grant waits for its User', async () => {
  const env = await createTestEnvironment({ kinds: [user, grant] });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  await env.apply(user, { name: 'shop', spec: { mariaDbRef } });
  await env.apply(grant, {
    name: 'reading',
    spec: { mariaDbRef, privileges: ['SELECT'], username: 'shop' },
  });
  env.cluster.controllers.pause();
  await env.resync();
  const [creating, ...others] = await env.children(user, 'shop');
  expect(creating?.metadata.name).toMatch(/^shop-create-/);
  expect(others).toEqual([]);
  expect(await env.children(grant, 'reading')).toEqual([]);
  expect((await env.get(grant, 'reading'))?.status).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'UserPending' }),
    ]),
  });

  env.cluster.controllers.resume();
  await env.resync();
  await env.resync();
  expect(await env.children(grant, 'reading')).toHaveLength(1);
});

test('a User whose spec is changed back is altered again', async () => {
  const env = await createTestEnvironment({ kinds: [user] });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  const made = [];
  for (const maxUserConnections of [10, 20, 10]) {
    await env.apply(user, { name: 'shop', spec: { mariaDbRef, maxUserConnections } });
    env.requests();
    await env.resync();
    await env.resync();
    const writes = env.requests().filter(({ isWrite, resource }) => isWrite && resource === 'jobs');
    made.push(...writes.filter(({ verb }) => verb !== 'delete').map(({ name }) => name));
  }
  const [first, second, third] = made;
  expect(made).toHaveLength(3);
  expect(third).toBe(first);
  expect(second).not.toBe(first);
});
