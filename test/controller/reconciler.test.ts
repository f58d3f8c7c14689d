import { expect, test } from 'vitest';
import { readDelivery } from '../../shared/audit/delivery.ts';
import type { Credentials } from '../../shared/cluster/credentials/credentials.ts';
import { deliver, selectionFor } from '../../shared/controller/deliver.ts';
import { createReconciler } from '../../shared/controller/reconciler.ts';
import { resyncOrFanOut } from '../../shared/controller/scheduled-resync.ts';
import { createLog } from '../../shared/log.ts';
import { requestMessage } from '../../shared/reconcile-request.ts';
import type { Telemetry } from '../../shared/run/telemetry.ts';
import { parseConfig } from '../support/config.ts';

const reconcilerWith = (
  credentials: () => Promise<Credentials>,
  deadlineSeconds = 120,
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

const access = {
  server: 'https://10.0.0.1',
  access: async () => ({ tls: {}, authorization: undefined }),
};

test('C-10 a request waits for a slot until half of its time is over, even if it waits several times', async () => {
  const reconciler = reconcilerWith(async () => access);
  const held = Promise.withResolvers<string>();
  const request = { key: 'a', lane: '', input: undefined, act: () => held.promise };
  const first = reconciler.enqueue(Date.now(), request);
  // Simulates that the lookup of the owners took almost half of the time.
  const arrived = Date.now() - 59_980;
  await expect(reconciler.enqueue(arrived, request)).rejects.toMatchObject({ kind: 'busy' });
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
  await expect(resyncOrFanOut(reconciler, {})).rejects.toBe(failure);
  const message = readDelivery(requestMessage({ kind: 'foos.example.com' }));
  await expect(deliver(reconciler, selectionFor(reconciler, message))).rejects.toBe(failure);
  expect(failures).toEqual([
    [{ trigger: 'resync', cluster: 'eu' }, failure],
    [{ trigger: 'request', cluster: 'eu' }, failure],
  ]);
});
