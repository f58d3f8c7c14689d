import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, cronJob, defineConfig, deployment } from 'serverless-reconciler';
import { createWorld, expectConverged, type World } from 'serverless-reconciler/testing';
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

test('one resync makes the Backup, the next its CronJob, with its own defaults', async () => {
  await using world = await createWorld(both);
  await world.apply(wiki, { name: 'home', spec });
  await world.resync();
  assert.notEqual((await world.conditions(wiki, 'home')).Ready?.status, 'True');
  await world.resync();
  const { spec: made } = (await world.get(backup, 'home-pages')) ?? {};
  assert.deepEqual([made?.source, made?.target], ['pages', 'archives']);
  assert.equal((await world.get(cronJob, 'home-pages'))?.spec?.schedule, '0 3 * * *');
});

test('a Wiki is ready once its Backup is', async () => {
  await using world = await createWorld(both);
  const end = world.fail({ verb: 'patch', resource: cronJob, status: 503 });
  await world.apply(wiki, { name: 'home', spec });
  for (let resyncs = 0; resyncs < 3; resyncs++) await world.resync();
  const { Ready } = await world.conditions(wiki, 'home');
  assert.equal(Ready?.status, 'False');
  assert.match(Ready?.message ?? '', /Backup home-pages/);
  end();
  for (let resyncs = 0; resyncs < 2; resyncs++) await world.resync();
  assert.equal((await world.conditions(wiki, 'home')).Ready?.status, 'True');
});

test('a schedule that the Backup refuses is reported, and the pages are served', async () => {
  await using world = await createWorld(both);
  const wrong = { ...spec.backup, schedule: '0 3 * * 7' };
  await world.apply(wiki, { name: 'home', spec: { ...spec, backup: wrong } });
  await world.resync();
  const { Stalled } = await world.conditions(wiki, 'home');
  assert.match(Stalled?.message ?? '', /Backup \S*home-pages.*must have five fields/);
  assert.notEqual(await world.get(deployment, 'home-wiki'), undefined);
});

test('the notice follows the status of the Backup, and no pod is replaced', async () => {
  await using world = await begun();
  const { generation } = (await world.get(deployment, 'home-wiki'))?.metadata ?? {};
  const saved = async () => (await world.get(configMap, 'home-wiki-notice'))?.data;
  assert.deepEqual(await saved(), { saved: 'never' });
  const lastSuccessfulTime = '2026-11-23T03:04:00Z';
  const status = { lastScheduleTime: '2026-11-23T03:00:00Z', lastSuccessfulTime };
  await world.patch(cronJob, 'home-pages', { subresource: 'status', body: { status } });
  for (let resyncs = 0; resyncs < 2; resyncs++) await world.resync();
  assert.deepEqual(await saved(), { saved: lastSuccessfulTime });
  assert.equal((await world.get(deployment, 'home-wiki'))?.metadata.generation, generation);
  world.requests();
  await world.resync();
  assert.ok(!world.requests().some(({ isWrite }) => isWrite));
});

test('without a backup the Backup goes, with its CronJob', async () => {
  await using world = await begun();
  await world.patch(wiki, 'home', { body: { spec: { backup: null } } });
  await world.resync();
  await world.resync();
  assert.equal(await world.get(backup, 'home-pages'), undefined);
  assert.equal(await world.get(cronJob, 'home-pages'), undefined);
  assert.equal((await world.conditions(wiki, 'home')).Ready?.status, 'True');
});

/** A Wiki that is Ready. */
async function begun(): Promise<World> {
  const world = await createWorld(both);
  await world.apply(wiki, { name: 'home', spec });
  for (let resyncs = 0; resyncs < 3; resyncs++) await world.resync();
  assert.equal((await world.conditions(wiki, 'home')).Ready?.status, 'True');
  return world;
}
