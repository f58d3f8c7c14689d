import { cronJob, defineConfig, job, type Kind, secret } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  expectReliable,
} from 'serverless-reconciler/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import { isWhole } from '../../properties/runs.ts';
import { given } from './fixtures.ts';
import { grant } from './grant.ts';
import { database } from './mariadb.ts';
import { server } from './server.ts';
import { user } from './user.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const all = defineConfig({ kinds: [database, user, grant] });
const mariaDbRef = { name: 'mariadb' };
const elsewhere = { name: 'shared', namespace: 'platform' };
const shop = { name: 'shop', key: 'password' };

async function open(...kinds: readonly Kind[]) {
  const env = await createTestEnvironment({ kinds });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  return env;
}

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
  [
    'a Database on a replicated server with TLS, tried again at an interval',
    database,
    { mariaDbRef: { name: 'replicated' }, retryInterval: '5s' },
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

test('expectReliable accepts pods that read a key with a value of another Secret', async () => {
  const elsewhere = { mariaDbRef: { name: 'shared', namespace: 'platform' } };
  await expectReliable(all, { kind: database, given, specs: [elsewhere] });
});

test('expectConverged accepts a Database that is created again at an interval', async () => {
  const resource = { name: 'shop', spec: { mariaDbRef, requeueInterval: '1h' } };
  const { children } = await expectConverged(all, { kind: database, given, resource });
  expect(children).toEqual([expect.stringMatching(/^Job /), 'CronJob shop-database']);
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
    const env = await open(database);
    await env.apply(database, resource);
    await env.resync();
    await env.resync();
    expect((await env.get(cronJob, 'shop-database'))?.spec).toMatchObject({ schedule });
  },
);

test('a Database waits until its server is ready', async () => {
  const env = await open(database);
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
  const env = await open(user, grant);
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
  const env = await open(user, grant);
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
  const env = await open(user);
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

test.each([
  ['a Grant', grant, { privileges: ['SELECT'], username: 'shop' }] as const,
  ...(isWhole ? [['a User', user, { passwordSecretKeyRef: shop }] as const] : []),
])('expectConverged accepts %s on a server of another namespace', async (_, kind, spec) => {
  const resource = { name: 'shop', spec: { mariaDbRef: elsewhere, ...spec } };
  const { children } = await expectConverged(all, { kind, given, resource });
  const copy = `Secret shop-${kind.kind.toLowerCase()}-connection`;
  expect(children.toSorted()).toEqual([expect.stringMatching(/^Job shop-/), copy]);
});

test.each([
  [
    'TLS to the Service of the primary',
    { name: 'replicated' },
    'replicated-primary.default.svc',
    ['--ssl-ca=', '--ssl-cert=', '--ssl-key=', '--ssl-verify-server-cert'],
  ],
  [
    'TLS, without a certificate of its own',
    { name: 'safe', kind: 'ExternalMariaDB' },
    'db.example.org',
    ['--ssl-ca=', '--ssl-verify-server-cert'],
  ],
  ['no TLS', { name: 'mariadb' }, 'mariadb.default.svc', ['--disable-ssl-verify-server-cert']],
])('a Job connects with %s', async (_, mariaDbRef, host, options) => {
  const env = await open(database);
  await env.apply(database, { name: 'shop', spec: { mariaDbRef } });
  await env.resync();
  const text = JSON.stringify(await env.children(database, 'shop'));
  expect(text).toContain(`{"name":"HOST","value":"${host}"}`);
  expect(text.match(/--(disable-)?ssl[-a-z]*=?/g)).toEqual(options);
});

test('a server of another namespace is used once it and its Secrets, which are copied, are granted', async () => {
  const env = await open(database);
  const platform = { namespace: 'platform' };
  const grants = (reader: string | null) => ({
    body: { metadata: { annotations: { 'serverless-reconciler/readable-by': reader } } },
    namespace: 'platform',
  });
  await env.patch(server, 'shared', grants(null));
  await env.patch(secret, 'root', grants(null));
  await env.apply(database, { name: 'shop', spec: { mariaDbRef: elsewhere } });
  const messageAfterRun = async (): Promise<string | undefined> => {
    await env.resync();
    return (await env.conditions(database, 'shop')).Ready?.message;
  };
  const absent = 'does not exist, or is not granted';
  expect(await messageAfterRun()).toContain(`MariaDB platform/shared ${absent}`);
  await env.patch(server, 'shared', grants('*/databases.k8s.mariadb.com'));
  expect(await messageAfterRun()).toContain(`Secret platform/root ${absent}`);
  expect(await env.children(database, 'shop')).toEqual([]);

  await env.patch(secret, 'root', grants('default/databases.k8s.mariadb.com'));
  await env.resync();
  const copy = async () => valueAt(await env.get(secret, 'shop-database-connection'), 'data');
  expect(await copy()).toEqual({
    'ca.crt': 'cm9vdA==',
    'tls.crt': 'cm9vdA==',
    'tls.key': 'cm9vdA==',
    password: 'cm9vdA==',
  });
  expect(await env.list(job)).toHaveLength(1);
  await env.patch(secret, 'root', { body: { data: { password: 'bmV3' } }, ...platform });
  await env.deliver();
  expect(await copy()).toMatchObject({ password: 'bmV3' });
});

test('a statement that fails is tried again after the interval for that', async () => {
  const env = await open(database);
  await env.apply(database, { name: 'shop', spec: { mariaDbRef, retryInterval: '1m30s' } });
  await env.resync();
  const text = JSON.stringify(await env.children(database, 'shop'));
  expect(text).toMatch(/left=100; until mariadb .*; sleep 90; done/);
});

test('a User is locked only if nothing identifies it', async () => {
  const env = await open(user);
  await env.apply(user, { name: 'locked', spec: { mariaDbRef } });
  await env.apply(user, { name: 'certified', spec: { mariaDbRef, require: { x509: true } } });
  await env.resync();
  const sqlOf = async (name: string) => JSON.stringify(await env.children(user, name));
  expect(await sqlOf('locked')).toContain('REQUIRE NONE WITH MAX_USER_CONNECTIONS 10 ACCOUNT LOCK');
  expect(await sqlOf('certified')).toContain("IDENTIFIED BY '''' REQUIRE X509");
});

test.each([
  [{ require: { ssl: true, x509: true } }, 'require only one of'],
  [{ passwordSecretKeyRef: shop, passwordHashSecretKeyRef: shop }, 'set at most one of'],
])('a User with %j is refused', async (spec, message) => {
  const env = await open(user);
  await env.apply(user, { name: 'shop', spec: { mariaDbRef, ...spec } });
  await env.resync();
  expect((await env.conditions(user, 'shop')).Stalled?.message).toContain(message);
});

test('a Grant shows its former privileges until others are granted', async () => {
  const env = await open(grant);
  const spec = { mariaDbRef, username: 'shop', database: 'shop', table: 'orders' };
  const settled = async () => {
    await env.resync();
    await env.resync();
    return (await env.get(grant, 'reading'))?.status;
  };
  await env.apply(grant, { name: 'reading', spec: { ...spec, privileges: ['SELECT (id, name)'] } });
  expect(await settled()).toMatchObject({ currentPrivileges: ['SELECT (id, name)'] });
  env.cluster.controllers.pause();
  await env.patch(grant, 'reading', { body: { spec: { privileges: ['INSERT'] } } });
  expect(await settled()).toMatchObject({ currentPrivileges: ['SELECT (id, name)'] });
  env.cluster.controllers.resume();
  expect(await settled()).toMatchObject({ currentPrivileges: ['INSERT'] });
});

test('a Grant of all privileges leaves those of another one when it is deleted', async () => {
  const env = await open(grant);
  const spec = { mariaDbRef, username: 'shop', database: 'shop' };
  await env.apply(grant, { name: 'all', spec: { ...spec, privileges: ['ALL PRIVILEGES'] } });
  await env.apply(grant, { name: 'reading', spec: { ...spec, privileges: ['SELECT'] } });
  await env.resync();
  const sqlOf = async (name: string) => JSON.stringify(await env.children(grant, name));
  expect(await sqlOf('reading')).toContain('GRANT ALL PRIVILEGES ON');
  env.cluster.controllers.pause();
  await env.delete(grant, 'all');
  await env.resync();
  expect(await sqlOf('all')).toMatch(/REVOKE ALL PRIVILEGES ON.*GRANT SELECT ON/);
});
