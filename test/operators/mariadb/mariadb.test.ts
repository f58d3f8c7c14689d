import { defineConfig } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  expectReliable,
} from 'serverless-reconciler/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isWhole } from '../../properties/runs.ts';
import { definitionOf } from '../definition.ts';
import { grant } from './grant.ts';
import { server } from './job.ts';
import { database } from './mariadb.ts';
import { user } from './user.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const inDefault = (kind: string, name: string) => ({ kind, metadata: { name } });
const given = [
  definitionOf(server),
  {
    apiVersion: 'k8s.mariadb.com/v1alpha1',
    ...inDefault('MariaDB', 'mariadb'),
    spec: { rootPasswordSecretKeyRef: { name: 'root', key: 'password' } },
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
])('%s obeys the laws of the engine', async (_, kind, spec, made) => {
  const resource = { name: 'shop', spec: { mariaDbRef, ...spec } };
  const { children } = await expectConverged(all, { kind, given, resource });
  expect(children).toEqual([expect.stringMatching(`^Job ${made}`)]);
});

test.each([database, user, grant])('no spec of a $kind breaks a law', async (kind) => {
  await expectReliable(all, { kind, given, ...search });
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

test('a User that is changed back is altered again', async () => {
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
