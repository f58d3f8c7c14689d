import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DeadlineError } from '../../shared/cluster/cluster-errors.ts';
import { type Credentials, fromContext } from '../../shared/cluster/credentials/credentials.ts';
import { createReconciler } from '../../shared/controller/reconciler.ts';
import { BusyError } from '../../shared/controller/request-errors.ts';
import { createLog } from '../../shared/log.ts';
import type { Telemetry } from '../../shared/run/telemetry.ts';
import { directory } from '../cluster/access.ts';
import { parseConfig } from '../support/config.ts';

const reconcilerWith = (
  credentials: () => Promise<Credentials>,
  deadlineSeconds = 0.3,
  telemetry?: () => Promise<Telemetry>,
) => {
  const parsed = parseConfig({ CLUSTER_CONTEXT: 'main' });
  const cluster = { name: 'eu', context: 'main' };
  return createReconciler(
    { ...parsed, cluster, deadlineSeconds },
    createLog(() => undefined, 'ERROR'),
    { credentials, telemetry },
  );
};

/** Telemetry that keeps the waiting times and the failures of runs. */
function telemetryInto(waits: number[], failures: unknown[]): () => Promise<Telemetry> {
  const telemetry: Telemetry = {
    run: (about, act) =>
      act().catch((error: unknown) => {
        failures.push([about, error]);
        throw error;
      }),
    resource: (_, act) => act(),
    queued: (ms) => waits.push(ms),
    connection: (connection) => connection,
  };
  return () => Promise.resolve(telemetry);
}

/** Writes a kubeconfig whose exec plugin prints a token only after `release` is called. */
async function slowContext() {
  const place = await directory();
  const sign = join(place, 'sign');
  const script = `until test -e '${sign}' || ! test -e '${place}'; do sleep 0.02; done
echo '{"status":{"token":"t"}}'`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/bin/sh',
    args: ['-c', script],
  };
  const file = join(place, 'config');
  await writeFile(
    file,
    JSON.stringify({
      clusters: [{ name: 'main', cluster: { server: 'https://10.0.0.1' } }],
      users: [{ name: 'main', user: { exec } }],
      contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
    }),
  );
  return { file, release: () => writeFile(sign, '') };
}

test('C-10 a run does not wait for credentials beyond its deadline, and a later run uses them', async () => {
  const { file, release } = await slowContext();
  let asked = 0;
  const reconciler = reconcilerWith(() => {
    asked++;
    return fromContext('main', [file]);
  });
  const begun = Date.now();
  const error = await reconciler.begin('resync').catch((cause: unknown) => cause);
  expect(Date.now() - begun).toBeLessThan(20_000);
  expect(error).toBeInstanceOf(DeadlineError);
  expect((error as Error).message).toBe(
    'no credentials for cluster "eu" within DEADLINE_SECONDS (0.3 s): is an exec plugin or identity provider waiting for input?',
  );
  await release();
  await expect.poll(() => reconciler.begin('resync').then(() => 'begun', String)).toBe('begun');
  expect(asked).toBe(1);
  await reconciler.close();
});

const access = { server: 'https://10.0.0.1', tls: {}, authorization: async () => undefined };

test('C-10 a request waits for a slot until half of its time is over, even if it waits several times', async () => {
  const reconciler = reconcilerWith(async () => access, 120);
  const held = Promise.withResolvers<string>();
  const request = { key: 'a', lane: '', input: undefined, act: () => held.promise };
  const first = reconciler.enqueue(Date.now(), request);
  // Simulates that the lookup of the owners took almost half of the time.
  const arrived = Date.now() - 59_980;
  await expect(reconciler.enqueue(arrived, request)).rejects.toBeInstanceOf(BusyError);
  held.resolve('done');
  expect(await first).toBe('done');
  await reconciler.close();
});

test('the time that a run waits for other runs is measured', async () => {
  const waits: number[] = [];
  const reconciler = reconcilerWith(async () => access, 120, telemetryInto(waits, []));
  const held = Promise.withResolvers<string>();
  const request = { key: 'a', lane: '', input: undefined, act: () => held.promise };
  const runs = [0, 1].map(() => reconciler.enqueue(Date.now(), request));
  const begun = Date.now();
  await expect.poll(() => Date.now() - begun).toBeGreaterThan(30);
  held.resolve('done');
  await Promise.all(runs);
  expect(waits.map((ms) => ms >= 30)).toEqual([false, true]);
  await reconciler.close();
});

test('a run without a connection is measured as failed', async () => {
  const failures: unknown[] = [];
  const failure = new Error('no credentials');
  const reconciler = reconcilerWith(
    () => Promise.reject(failure),
    120,
    telemetryInto([], failures),
  );
  await expect(reconciler.begin('resync')).rejects.toBe(failure);
  expect(failures).toEqual([[{ trigger: 'resync', cluster: 'eu' }, failure]]);
});
