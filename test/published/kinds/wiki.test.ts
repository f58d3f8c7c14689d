import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, cronJob, defineConfig, deployment } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  type TestEnvironment,
} from 'serverless-reconciler/testing';
import { backup } from './backup.ts';
import { wiki } from './wiki.ts';

const both = defineConfig({ kinds: [backup, wiki] });
const spec = { claim: 'pages', backup: { target: 'archives' } };

test('a Wiki obeys the laws of the engine', async () => {
  const { children } = await expectConverged(both, { kind: 'Wiki' });
  assert.deepEqual(children, [
    'ConfigMap wiki-sample-wiki-notice',
    'Deployment wiki-sample-wiki',
    'Service wiki-sample-wiki',
    'Backup wiki-sample-pages',
  ]);
});

test('one resync creates the Backup, the next one its CronJob, with the defaults of the Backup', async () => {
  await using env = await createTestEnvironment(both);
  await env.apply(wiki, { name: 'home', spec });
  await env.resync();
  assert.notEqual((await env.conditions(wiki, 'home')).Ready?.status, 'True');
  await env.resync();
  const { spec: made } = (await env.get(backup, 'home-pages')) ?? {};
  assert.deepEqual([made?.source, made?.target], ['pages', 'archives']);
  assert.equal((await env.get(cronJob, 'home-pages'))?.spec?.schedule, '0 3 * * *');
});

test('a Wiki is ready once its Backup is', async () => {
  await using env = await createTestEnvironment(both);
  const end = env.fail({ verb: 'patch', resource: cronJob, status: 503 });
  await env.apply(wiki, { name: 'home', spec });
  for (let resyncs = 0; resyncs < 3; resyncs++) await env.resync();
  const { Ready } = await env.conditions(wiki, 'home');
  assert.equal(Ready?.status, 'False');
  assert.match(Ready?.message ?? '', /Backup home-pages/);
  end();
  for (let resyncs = 0; resyncs < 2; resyncs++) await env.resync();
  assert.equal((await env.conditions(wiki, 'home')).Ready?.status, 'True');
});

test('a schedule that the Backup refuses is reported, and the pages are still served', async () => {
  await using env = await createTestEnvironment(both);
  const wrong = { ...spec.backup, schedule: '0 3 * * 7' };
  await env.apply(wiki, { name: 'home', spec: { ...spec, backup: wrong } });
  await env.resync();
  const { Stalled } = await env.conditions(wiki, 'home');
  assert.match(Stalled?.message ?? '', /Backup \S*home-pages.*must have five fields/);
  assert.notEqual(await env.get(deployment, 'home-wiki'), undefined);
});

test('the notice follows the status of the Backup without replacing pods', async () => {
  await using env = await readyWiki();
  const { generation } = (await env.get(deployment, 'home-wiki'))?.metadata ?? {};
  const saved = async () => (await env.get(configMap, 'home-wiki-notice'))?.data;
  assert.deepEqual(await saved(), { saved: 'never' });
  const lastSuccessfulTime = '2026-11-23T03:04:00Z';
  const status = { lastScheduleTime: '2026-11-23T03:00:00Z', lastSuccessfulTime };
  await env.patch(cronJob, 'home-pages', { subresource: 'status', body: { status } });
  for (let resyncs = 0; resyncs < 2; resyncs++) await env.resync();
  assert.deepEqual(await saved(), { saved: lastSuccessfulTime });
  assert.equal((await env.get(deployment, 'home-wiki'))?.metadata.generation, generation);
  env.requests();
  await env.resync();
  assert.ok(!env.requests().some(({ isWrite }) => isWrite));
});

test('removing spec.backup deletes the Backup and its CronJob', async () => {
  await using env = await readyWiki();
  await env.patch(wiki, 'home', { body: { spec: { backup: null } } });
  await env.resync();
  await env.resync();
  assert.equal(await env.get(backup, 'home-pages'), undefined);
  assert.equal(await env.get(cronJob, 'home-pages'), undefined);
  assert.equal((await env.conditions(wiki, 'home')).Ready?.status, 'True');
});

/** Opens a cluster with a Wiki that is Ready. */
async function readyWiki(): Promise<TestEnvironment> {
  const env = await createTestEnvironment(both);
  await env.apply(wiki, { name: 'home', spec });
  for (let resyncs = 0; resyncs < 3; resyncs++) await env.resync();
  assert.equal((await env.conditions(wiki, 'home')).Ready?.status, 'True');
  return env;
}
