import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, cronJob } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  type TestEnvironment,
} from 'serverless-reconciler/testing';
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

test('the API server refuses invalid Backups', async () => {
  await using env = await createTestEnvironment({ kinds: [backup] });
  const apply = (spec: object, name = 'nightly') =>
    env.apply(backup, { name, spec: { ...claims, ...spec } });
  const schedule = /spec\.schedule.*must have five fields/;
  await assert.rejects(apply({ schedule: '' }), schedule);
  await assert.rejects(apply({ schedule: '0 3 * *' }), schedule);
  await assert.rejects(apply({ schedule: '60 3 * * *' }), schedule);
  await assert.rejects(apply({ schedule: '0 3 * * 7' }), schedule);
  await assert.rejects(apply({ schedule: 'TZ=Europe/Paris 0 3 * * *' }), schedule);
  await assert.rejects(apply({ target: 'data' }), /spec\.target.*must be another claim/);
  await assert.rejects(apply({}, 'x'.repeat(53)), /at most 52 characters/);
});

test('a CronJob accepts every schedule that a Backup accepts', async () => {
  await using env = await createTestEnvironment({ kinds: [backup] });
  const schedules = ['0 3 * * *', '*/15 8-17 1,15 jan-MAR Mon-fri', '59 23 31 12 6', '@hourly'];
  for (const [at, schedule] of schedules.entries())
    await env.apply(backup, { name: `number-${at}`, spec: { ...claims, schedule } });
  const { failures } = await env.resync();
  assert.deepEqual(failures, []);
  const jobs = await env.list(cronJob);
  assert.deepEqual(
    jobs.map(({ spec }) => spec?.schedule),
    schedules,
  );
});

test('a schedule with a reversed range is reported, and the other children are created', async () => {
  await using env = await createTestEnvironment({ kinds: [backup] });
  await env.apply(backup, { name: 'nightly', spec: { ...claims, schedule: '0 5-1 * * *' } });
  await env.resync();
  const { Stalled } = await env.conditions(backup, 'nightly');
  assert.match(Stalled?.message ?? '', /spec\.schedule.*beginning of range/);
  assert.equal(
    (await env.list(configMap, { labelSelector: 'app.kubernetes.io/instance' })).length,
    1,
  );
});

test('suspending writes only the CronJob', async () => {
  await using env = await readyBackup();
  await env.patch(backup, 'nightly', { body: { spec: { suspend: true } } });
  await env.deliver();
  assert.deepEqual(written(env), ['cronjobs', 'backups/status']);
  assert.equal((await env.get(cronJob, 'nightly'))?.spec?.suspend, true);
});

test('the status follows the runs of the CronJob', async () => {
  await using env = await readyBackup();
  const ran = (status: object) =>
    env.patch(cronJob, 'nightly', { subresource: 'status', body: { status } });
  const seen = async () => {
    await env.resync();
    const { LastRunFailed } = await env.conditions(backup, 'nightly');
    const { status } = (await env.get(backup, 'nightly')) ?? {};
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

  env.requests();
  await env.resync();
  assert.deepEqual(written(env), []);
});

/** Opens a cluster with a Backup whose children are ready. */
async function readyBackup(): Promise<TestEnvironment> {
  const env = await createTestEnvironment({ kinds: [backup] });
  await env.apply(backup, { name: 'nightly', spec: claims });
  await env.resync();
  await env.resync();
  assert.equal((await env.conditions(backup, 'nightly')).Ready?.status, 'True');
  env.requests();
  return env;
}

const written = (env: TestEnvironment): readonly string[] =>
  env
    .requests()
    .filter(({ isWrite }) => isWrite)
    .map(({ resource, subresource }) =>
      subresource === '' ? resource : `${resource}/${subresource}`,
    );
