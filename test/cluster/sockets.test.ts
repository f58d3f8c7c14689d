import { expect, it, onTestFinished } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { createReconciler, reconcileRequests } from '../../shared/controller/reconciler.ts';
import { fromEndpoint } from '../../shared/google/metadata-server.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { foo } from '../../systems/foo.ts';
import { kinds, parseConfig } from '../support/config.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { startMetadataServer } from '../support/metadata-server.ts';

it('reconciling 200 resources uses eight sockets and one token, which the next reconciler reuses', async () => {
  const guarded = await startGuardedCluster(({ token }) => token === 'good');
  const metadata = await startMetadataServer({
    token: () => ({ access_token: 'good', expires_in: 3599 }),
  });
  const put = applyTo(guarded.cluster.url);
  await install(put, { kinds, user: 'anybody', samples: false });
  const collection = `/apis/${apiVersionOf(foo)}/namespaces/default/${foo.plural}`;
  for (let at = 0; at < 200; at++) {
    const name = `foo-${at}`;
    const spec = { deploymentName: name, replicas: 1 };
    const manifest = { apiVersion: apiVersionOf(foo), kind: foo.kind, metadata: { name }, spec };
    await put(`${collection}/${name}`, manifest);
  }

  const parsed = parseConfig({ CLUSTER_ENDPOINT: 'unused', KINDS: 'Foo', SETTLE_SECONDS: '0' });
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
  expect(most).toBeLessThanOrEqual(8);
  // One more socket may be opened while the last is being freed.
  expect(opened).toBeLessThanOrEqual(9);

  for (let resync = 0; resync < 3; resync++)
    await reconcileRequests(reconciler, await reconciler.begin('resync'), [{}]);
  expect(guarded.sockets().opened).toBe(opened);
  expect(metadata.given()).toBe(1);
});
