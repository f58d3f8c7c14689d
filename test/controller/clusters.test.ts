import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import type { LogLine } from '../../infra/log-line.ts';
import {
  type Clusters,
  deliverToClusters,
  resyncClusters,
} from '../../shared/controller/clusters.ts';
import { createReconciler } from '../../shared/controller/reconciler.ts';
import { auditFormat as format } from '../../shared/google/log-entry.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { withFields } from '../../shared/log.ts';
import { foo } from '../../systems/foo.ts';
import { auditEvent, eventList, logEntry } from '../audit/samples.ts';
import { openApi } from '../scenarios/api.ts';
import { kinds, parseConfig } from '../support/config.ts';
import { logInto } from '../support/log.ts';

const stops: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const logged: LogLine[] = [];
const log = logInto(logged, 'DEBUG');

const reconcilerOf = (name: string, server: string) => {
  const cluster = { name, isNamed: true as const, context: name };
  const config = parseConfig({ CLUSTER_CONTEXT: name, SETTLE_SECONDS: '0', DEADLINE_SECONDS: '5' });
  const credentials = { server, access: async () => ({ tls: {}, authorization: undefined }) };
  const reconciler = createReconciler({ ...config, cluster }, withFields(log, { cluster: name }), {
    credentials: async () => credentials,
    backoffMs: 2,
  });
  stops.push(reconciler.close);
  return reconciler;
};

async function openCluster(): Promise<LocalCluster> {
  const cluster = await startLocalCluster();
  stops.push(() => cluster.stop());
  await install(applyTo(cluster.url), { kinds, user: 'engine', samples: false });
  return cluster;
}

const apiOf = ({ url }: LocalCluster) => {
  const client = createClient({ url });
  stops.push(() => client.close());
  return openApi(client, 'default');
};

let eu: LocalCluster;
let us: LocalCluster;
let clusters: Clusters;
beforeEach(async () => {
  [eu, us] = await Promise.all([openCluster(), openCluster()]);
  clusters = [reconcilerOf('eu', eu.url), reconcilerOf('us', us.url)];
  for (const cluster of [eu, us])
    await apiOf(cluster).create(foo, 'bar', { spec: { deploymentName: 'bar', replicas: 1 } });
});

const made = async (cluster: LocalCluster): Promise<number> =>
  (await apiOf(cluster).list(deployment)).length;

const audit = async (body: unknown, from?: string) =>
  deliverToClusters(clusters, body, { format, cluster: from });

describe('a resync for several clusters', () => {
  test('reconciles each cluster and reports it by name', async () => {
    const response = await resyncClusters(clusters, undefined);
    const one = { resources: { reconciled: 1 } };
    expect(response).toMatchObject({ clusters: { eu: one, us: one } });
    expect([await made(eu), await made(us)]).toEqual([1, 1]);
  });

  test('fails only for the cluster that is unreachable', async () => {
    await us.stop();
    const response = (await resyncClusters(clusters, {})) as { clusters: Record<string, object> };
    expect(response.clusters.eu).toMatchObject({ resources: { reconciled: 1 } });
    expect(response.clusters.us).toHaveProperty('error');
    expect(
      logged.some(({ severity, message }) => severity === 'ERROR' && message === 'run failed'),
    ).toBe(true);
  }, 30_000);

  test('is not delayed by a cluster that hangs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    us.intercept(() => promise);
    const response = resyncClusters(clusters, {});
    await expect.poll(() => made(eu), { timeout: 10_000 }).toBe(1);
    resolve();
    expect(await response).toMatchObject({ clusters: { us: { resources: { reconciled: 1 } } } });
  });

  test('fails if all clusters fail, so that it is retried', async () => {
    await Promise.all([eu.stop(), us.stop()]);
    logged.length = 0;
    await expect(resyncClusters(clusters, {})).rejects.toMatchObject({ isLogged: true });
    const failed = logged.filter(({ message }) => message === 'run failed');
    expect(failed.map(({ cluster }) => cluster).toSorted()).toEqual(['eu', 'us']);
  }, 30_000);

  test('refuses an invalid request without logging a failed run', async () => {
    logged.length = 0;
    await expect(resyncClusters(clusters, { kind: 5 })).rejects.toMatchObject({ kind: 'invalid' });
    expect(logged).toEqual([]);
  });

  test('can be limited to one cluster', async () => {
    await resyncClusters(clusters, { cluster: 'us', namespace: 'default' });
    expect([await made(eu), await made(us)]).toEqual([0, 1]);
    await expect(resyncClusters(clusters, { cluster: 'asia' })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });
});

const created = (cluster: string) =>
  logEntry({
    method: 'com.example.v1alpha1.foos.create',
    resource: 'example.com/v1alpha1/namespaces/default/foos/bar',
    entry: {
      resource: {
        type: 'k8s_cluster',
        labels: { project_id: 'demo', location: 'us-central1', cluster_name: cluster },
      },
    },
  });

const fromWebhook = eventList(
  auditEvent({
    verb: 'create',
    objectRef: {
      resource: 'foos',
      namespace: 'default',
      name: 'bar',
      apiGroup: 'example.com',
      apiVersion: 'v1alpha1',
    },
  }),
);

describe('an audit entry for several clusters', () => {
  test('causes a run on the cluster that it names', async () => {
    await audit(created('us'));
    expect([await made(eu), await made(us)]).toEqual([0, 1]);
  });

  test('causes, in a batch, one run per cluster with its own entries', async () => {
    const response = await audit([created('us'), created('asia'), fromWebhook]);
    const dropped = (count: number) => ({ dropped: { 'another cluster': count } });
    expect(response).toMatchObject({ clusters: { eu: dropped(2), us: dropped(1) } });
    expect([await made(eu), await made(us)]).toEqual([1, 1]);
  });

  test('from an unknown cluster is acknowledged without a run', async () => {
    const dropped = { 'another cluster': 1 };
    expect(await audit(created('asia'))).toEqual({
      clusters: { eu: { reconcileRequests: [], dropped } },
    });
    expect([await made(eu), await made(us)]).toEqual([0, 0]);
    expect(logged.at(-1)).toMatchObject({ severity: 'INFO', dropped });
  });

  test('from an unknown cluster is logged even if other parts of the batch are ignored', async () => {
    await audit([created('asia'), { messageType: 'CONTROL_MESSAGE' }]);
    const dropped = { 'another cluster': 1, 'control message': 1 };
    expect(logged.at(-1)).toMatchObject({ severity: 'INFO', dropped });
  });

  test('from another cluster is ignored by a single-cluster deployment, too', async () => {
    clusters = [reconcilerOf('eu', eu.url)];
    expect(await audit(created('us'))).toMatchObject({ dropped: { 'another cluster': 1 } });
    expect(await made(eu)).toBe(0);
    await audit(created('eu'));
    expect(await made(eu)).toBe(1);
  });

  test('from a webhook address with an unknown cluster is refused, because all its events would be lost', async () => {
    await expect(audit(fromWebhook, 'typo')).rejects.toThrow(
      'unknown cluster "typo"; known clusters: eu, us',
    );
  });

  test('may name the cluster with its project and location', async () => {
    clusters = [reconcilerOf('demo/us-central1/main', eu.url), reconcilerOf('us', us.url)];
    await audit(created('main'));
    expect([await made(eu), await made(us)]).toEqual([1, 0]);
  });

  test('from a webhook belongs to the cluster in the address, or to all clusters', async () => {
    await audit(fromWebhook, 'eu');
    expect([await made(eu), await made(us)]).toEqual([1, 0]);
    await audit(fromWebhook);
    expect(await made(us)).toBe(1);
  });

  test('may be replaced by a request message, which may name one cluster', async () => {
    await audit({ version: 1, request: { namespace: 'default' }, cluster: 'us' });
    expect([await made(eu), await made(us)]).toEqual([0, 1]);
    await audit({ version: 1, request: {} });
    expect(await made(eu)).toBe(1);
  });

  test('that cannot be parsed is logged once', async () => {
    logged.length = 0;
    await audit({ nonsense: true });
    expect(logged.filter(({ message }) => message === 'delivery not understood')).toHaveLength(1);
  });
});
