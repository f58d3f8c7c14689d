import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, cronJob } from 'serverless-reconciler';
import { createWorld, expectConverged, type World } from 'serverless-reconciler/testing';
import { backup } from './backup.ts';

const claims = { source: 'data', target: 'archives' };

test('a Backup obeys the laws of the engine', async () => {
  const { children } = await expectConverged(backup);
  assert.deepEqual(children, [
    'ServiceAccount backup-sample-backup',
    'ConfigMap backup-sample-backup',
    'CronJob backup-sample',
  ]);
});

test('the API server refuses what cannot work', async () => {
  await using world = await createWorld({ kinds: [backup] });
  const apply = (spec: object, name = 'nightly') =>
    world.apply(backup, { name, spec: { ...claims, ...spec } });
  const schedule = /spec\.schedule.*must have five fields/;
  await assert.rejects(apply({ schedule: '' }), schedule);
  await assert.rejects(apply({ schedule: '0 3 * *' }), schedule);
  await assert.rejects(apply({ schedule: '60 3 * * *' }), schedule);
  await assert.rejects(apply({ schedule: '0 3 * * 7' }), schedule);
  await assert.rejects(apply({ schedule: 'TZ=Europe/Paris 0 3 * * *' }), schedule);
  await assert.rejects(apply({ target: 'data' }), /spec\.target.*must be another claim/);
  await assert.rejects(apply({}, 'x'.repeat(53)), /at most 52 characters/);
});

test('a CronJob takes every schedule that is let through', async () => {
  await using world = await createWorld({ kinds: [backup] });
  const schedules = ['0 3 * * *', '*/15 8-17 1,15 jan-MAR Mon-fri', '59 23 31 12 6', '@hourly'];
  for (const [at, schedule] of schedules.entries())
    await world.apply(backup, { name: `number-${at}`, spec: { ...claims, schedule } });
  const { failures } = await world.resync();
  assert.deepEqual(failures, []);
  const jobs = await world.list(cronJob);
  assert.deepEqual(
    jobs.map(({ spec }) => spec?.schedule),
    schedules,
  );
});

test('a range that ends before it begins is reported, and the rest proceeds', async () => {
  await using world = await createWorld({ kinds: [backup] });
  await world.apply(backup, { name: 'nightly', spec: { ...claims, schedule: '0 5-1 * * *' } });
  await world.resync();
  const { Stalled } = await world.conditions(backup, 'nightly');
  assert.match(Stalled?.message ?? '', /spec\.schedule.*beginning of range/);
  assert.equal(
    (await world.list(configMap, { labelSelector: 'app.kubernetes.io/instance' })).length,
    1,
  );
});

test('suspending writes the CronJob and nothing else', async () => {
  await using world = await begun();
  await world.patch(backup, 'nightly', { body: { spec: { suspend: true } } });
  await world.deliver();
  assert.deepEqual(written(world), ['cronjobs', 'backups/status']);
  assert.equal((await world.get(cronJob, 'nightly'))?.spec?.suspend, true);
});

test('the status follows the runs of the CronJob', async () => {
  await using world = await begun();
  const ran = (status: object) =>
    world.patch(cronJob, 'nightly', { subresource: 'status', body: { status } });
  const seen = async () => {
    await world.resync();
    const { LastRunFailed } = await world.conditions(backup, 'nightly');
    const { status } = (await world.get(backup, 'nightly')) ?? {};
    return { failed: LastRunFailed?.message, last: status?.lastSuccessfulTime };
  };
  assert.deepEqual(await seen(), { failed: undefined, last: undefined });

  const [monday, tuesday] = ['2026-11-23T03:00:00Z', '2026-11-24T03:00:00Z'];
  await ran({ lastScheduleTime: monday, active: [{ kind: 'Job', name: 'nightly-1' }] });
  assert.deepEqual(await seen(), { failed: undefined, last: undefined });
  await ran({ active: null, lastSuccessfulTime: '2026-11-23T03:04:00Z' });
  assert.deepEqual(await seen(), { failed: undefined, last: '2026-11-23T03:04:00Z' });
  await ran({ lastScheduleTime: tuesday });
  assert.deepEqual(await seen(), {
    failed: `the run of ${tuesday} has not succeeded`,
    last: '2026-11-23T03:04:00Z',
  });

  world.requests();
  await world.resync();
  assert.deepEqual(written(world), []);
});

/** A Backup whose children are ready. */
async function begun(): Promise<World> {
  const world = await createWorld({ kinds: [backup] });
  await world.apply(backup, { name: 'nightly', spec: claims });
  await world.resync();
  await world.resync();
  assert.equal((await world.conditions(backup, 'nightly')).Ready?.status, 'True');
  world.requests();
  return world;
}

const written = (world: World): readonly string[] =>
  world
    .requests()
    .filter(({ isWrite }) => isWrite)
    .map(({ resource, subresource }) =>
      subresource === '' ? resource : `${resource}/${subresource}`,
    );
