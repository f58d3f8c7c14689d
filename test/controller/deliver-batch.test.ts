import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { expect, onTestFinished, test } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { failureOf } from '../../shared/controller/request-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { foo } from '../../systems/foo.ts';
import { auditEvent, eventList } from '../audit/samples.ts';
import { openApi } from '../scenarios/api.ts';
import { kinds } from '../support/config.ts';
import { deliverBody, reconcilerAgainst } from '../support/reconciler.ts';

const names = [...'abcdefghijkl'].map((letter) => `foo-${letter}`);
const apiGroup = foo.group;
const edited = (name: string) =>
  auditEvent({
    verb: 'create',
    objectRef: { resource: 'foos', namespace: 'default', name, apiGroup, apiVersion: foo.version },
  });

test('a batch of audit events is one run, in which a resource that is not Ready yet delays no other', async () => {
  const cluster = await startLocalCluster({ podsReadyAfterMs: 3_600_000 });
  const client = createClient({ url: cluster.url });
  const { reconciler, logged } = reconcilerAgainst(cluster.url, { SETTLE_SECONDS: '1' });
  onTestFinished(async () => {
    await Promise.all([reconciler.close(), client.close()]);
    await cluster.stop();
  });
  await install(applyTo(cluster.url), { kinds, user: 'engine', samples: false });
  const api = openApi(client, 'default');
  for (const name of names)
    await api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  cluster.requests.reset();

  const { reconcileRequests } = await deliverBody(reconciler, eventList(...names.map(edited)));

  expect(reconcileRequests).toEqual([{ kind: 'foos.example.com', namespace: 'default' }]);
  const requests = cluster.requests.list();
  const at = (verb: string, resource: string): readonly number[] =>
    requests.flatMap((one, n) => (one.verb === verb && one.resource === resource ? [n] : []));
  const written = at('patch', 'deployments');
  const looks = at('list', 'foos').filter((n) => n > (written[0] ?? 0));
  expect(written).toHaveLength(names.length);
  expect(looks).toHaveLength(1);
  expect(at('get', 'foos')).toEqual([]);
  expect(Math.max(...written)).toBeLessThan(Math.min(...looks));
  expect(logged.filter(({ message }) => message === 'resynced')).toHaveLength(1);
});

test.each([
  ['for only the resource', [edited('f')]],
  [
    'for the resource and a child',
    [
      edited('f'),
      auditEvent({
        verb: 'delete',
        objectRef: {
          resource: 'deployments',
          namespace: 'default',
          name: 'f',
          apiGroup: 'apps',
          apiVersion: 'v1',
        },
      }),
    ],
  ],
])(
  'a run writes the status of a new resource, and again once it is Ready, after an event %s',
  async (_, entries) => {
    const cluster = await startLocalCluster({ podsReadyAfterMs: 300 });
    const client = createClient({ url: cluster.url });
    const { reconciler } = reconcilerAgainst(cluster.url, { SETTLE_SECONDS: '10' });
    onTestFinished(async () => {
      await Promise.all([reconciler.close(), client.close()]);
      await cluster.stop();
    });
    await install(applyTo(cluster.url), { kinds, user: 'engine', samples: false });
    const api = openApi(client, 'default');
    await api.create(foo, 'f', { spec: { deploymentName: 'f', replicas: 1 } });
    const { report } = await deliverBody(reconciler, eventList(...entries));
    expect(report?.statusWrites).toBe(2);
    expect((await api.get(foo, 'f')).status).toMatchObject({
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  },
);

test('C-10 a delivery fails and is retried if its resources do not fit into memory beside other runs', async () => {
  const cluster = await startLocalCluster();
  const client = createClient({ url: cluster.url });
  const memory = openMemory(1_000_000, 0);
  const { reconciler } = reconcilerAgainst(cluster.url, {}, { memory });
  onTestFinished(async () => {
    await Promise.all([reconciler.close(), client.close()]);
    await cluster.stop();
  });
  await install(applyTo(cluster.url), { kinds, user: 'engine', samples: false });
  const api = openApi(client, 'default');
  await api.create(foo, 'foo-a', { spec: { deploymentName: 'foo-a', replicas: 1 } });
  const otherRun = memory(reconciler.config.cluster.name);
  expect(otherRun.admit('default', 500_000)).toBe(true);

  const delivered = deliverBody(reconciler, eventList(edited('foo-a')));

  await expect(delivered).rejects.toThrow(
    '1 resource did not fit into memory together with other runs',
  );
  await expect(delivered.catch(failureOf)).resolves.toMatchObject({ kind: 'transient' });
  expect(await api.list(deployment)).toEqual([]);
  otherRun[Symbol.dispose]();
  await deliverBody(reconciler, eventList(edited('foo-a')));
  expect(await api.list(deployment)).toHaveLength(1);
});
