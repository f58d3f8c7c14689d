import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { expect, it, onTestFinished } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { createReconciler, reconcileRequests } from '../../shared/controller/reconciler.ts';
import { fromEndpoint } from '../../shared/google/metadata-server.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import type { Telemetry } from '../../shared/run/telemetry.ts';
import { foo } from '../../systems/foo.ts';
import { kinds, parseConfig } from '../support/config.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { startMetadataServer } from '../support/metadata-server.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';

type Put = ReturnType<typeof applyTo>;

async function putFoos(put: Put, namespace: string, count: number): Promise<void> {
  const collection = `/apis/${apiVersionOf(foo)}/namespaces/${namespace}/${foo.plural}`;
  for (let at = 0; at < count; at++) {
    const name = `foo-${at}`;
    const spec = { deploymentName: name, replicas: 1 };
    const manifest = { apiVersion: apiVersionOf(foo), kind: foo.kind, metadata: { name }, spec };
    await put(`${collection}/${name}`, manifest);
  }
}

it.each([
  { concurrency: '8', least: 2, most: 8 },
  { concurrency: '24', least: 9, most: 24 },
])('CONCURRENCY $concurrency takes $least to $most sockets, and one token', async (given) => {
  const guarded = await startGuardedCluster(({ token }) => token === 'good');
  const metadata = await startMetadataServer({
    token: () => ({ access_token: 'good', expires_in: 3599 }),
  });
  const put = applyTo(guarded.cluster.url);
  await install(put, { kinds, user: 'anybody', samples: false });
  await putFoos(put, 'default', 200);

  const settings = { KINDS: 'Foo', SETTLE_SECONDS: '0', CONCURRENCY: given.concurrency };
  const parsed = parseConfig({ CLUSTER_ENDPOINT: 'unused', ...settings });
  const cluster = parsed.clusters[0]!;
  const ca = Buffer.from(guarded.authority.certificate).toString('base64');
  const reconciler = createReconciler(
    { ...parsed, cluster },
    createLog(() => undefined, 'ERROR'),
    { credentials: async () => fromEndpoint(guarded.url, ca, metadata.url) },
  );
  onTestFinished(reconciler.close);

  const first = await reconcileRequests(reconciler, await reconciler.begin('resync'), [{}]);
  expect(first.outcomes.created).toBe(200);
  expect(guarded.callers.length).toBeGreaterThan(400);
  const { opened, most } = guarded.sockets();
  expect(most).toBeGreaterThanOrEqual(given.least);
  expect(most).toBeLessThanOrEqual(given.most);
  // One more socket may be opened while the last is being freed.
  expect(opened).toBeLessThanOrEqual(given.most + 1);

  for (let resync = 0; resync < 3; resync++)
    await reconcileRequests(reconciler, await reconciler.begin('resync'), [{}]);
  expect(guarded.sockets().opened).toBe(opened);
  expect(metadata.given()).toBe(1);
});

it('runs of one process take turns, so that no write waits for a socket', async () => {
  const cluster = await startLocalCluster({ controllers: 'paused' });
  onTestFinished(cluster.stop);
  const put = applyTo(cluster.url);
  await install(put, { kinds, user: 'anybody', samples: false });
  const namespaces = ['a', 'b', 'c', 'd'];
  for (const name of namespaces) {
    await put(`/api/v1/namespaces/${name}`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
    await putFoos(put, name, 10);
  }

  let running = 0;
  let most = 0;
  const telemetry: Telemetry = {
    run: (_, act) => act(),
    async resource(_, act) {
      most = Math.max(most, ++running);
      return act().finally(() => running--);
    },
    queued: () => undefined,
    connection: (connection) => connection,
  };
  const { reconciler } = reconcilerAgainst(
    cluster.url,
    { KINDS: 'Foo', CONCURRENCY: '9' },
    { telemetry: async () => telemetry },
  );
  onTestFinished(reconciler.close);
  const reports = await Promise.all(
    namespaces.map(async (namespace) =>
      reconcileRequests(reconciler, await reconciler.begin('request'), [{ namespace }]),
    ),
  );
  expect(reports.map(({ outcomes }) => outcomes.created)).toEqual([10, 10, 10, 10]);
  expect(most).toBe(9);
});
