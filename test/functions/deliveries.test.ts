import { setTimeout } from 'node:timers/promises';
import { http } from '@google-cloud/functions-framework';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { expect, onTestFinished, test } from 'vitest';
import { createResponder, jsonBodyOf } from '../../functions/response.ts';
import { applyTo, install } from '../../infra/generate/install.ts';
import { resyncClusters } from '../../shared/controller/clusters.ts';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { auditEvent, eventList } from '../audit/samples.ts';
import { openApi } from '../scenarios/api.ts';
import { type ApiReply, startApiEndpoint, status } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { kinds } from '../support/config.ts';
import { startFunction } from '../support/function-endpoint.ts';
import { deliverBody, reconcilerAgainst } from '../support/reconciler.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const names = numbers(12).map((n) => `foo-${n}`);

/** Makes the audit Event of a write to a Deployment. */
const written = (verb: string, namespace: string, name: string) =>
  auditEvent({
    verb,
    objectRef: { resource: 'deployments', namespace, name, apiGroup: 'apps', apiVersion: 'v1' },
  });

/** Starts a cluster with twelve Foos in one namespace, each with its Deployment. */
async function openCluster() {
  const cluster = await startLocalCluster();
  const client = createClient({ url: cluster.url });
  const { reconciler, logged } = reconcilerAgainst(cluster.url);
  onTestFinished(async () => {
    await Promise.all([reconciler.close(), client.close()]);
    await cluster.stop();
  });
  await install(applyTo(cluster.url), { kinds, user: 'engine', samples: false });
  const api = openApi(client, 'default');
  for (const name of names)
    await api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  await deliverBody(reconciler, { version: 1, request: {} });
  cluster.requests.reset();
  const reads = () => cluster.requests.list().filter(({ verb }) => /^(get|list)$/.test(verb));
  return { cluster, reconciler, logged, api, reads };
}

/** Plurals of the kinds that own Deployments. */
const deploying = kinds.filter(({ owns }) => owns.includes(deployment)).map(({ plural }) => plural);

test('C-4 ten thousand deletions in one delivery cost one list per kind in one namespace', async () => {
  const { reconciler, api, reads } = await openCluster();
  for (const name of names) await api.remove(deployment, name);
  const lost = [...names, ...numbers(10_000 - names.length).map((n) => `gone-${n}`)];

  const { reconcileRequests: requests } = await deliverBody(
    reconciler,
    eventList(...lost.map((name) => written('delete', 'default', name))),
  );

  const lists = reads().flatMap(({ verb, resource }) => (verb === 'list' ? [resource] : []));
  expect(lists).toEqual([
    'deployments',
    // The lists for finding the resources that desire the Deployments.
    ...deploying,
    // The run itself.
    ...['deployments', 'foos'],
  ]);
  expect(requests).toEqual([{ kind: 'foos.example.com', namespace: 'default' }]);
  for (const name of names) expect(await api.find(deployment, name)).toBeDefined();
});

test('many edits in one delivery cost one list of metadata', async () => {
  const { reconciler, api, reads } = await openCluster();
  for (const name of names) await api.patch(deployment, name, { spec: { replicas: 7 } });

  await deliverBody(
    reconciler,
    eventList(...names.map((name) => written('patch', 'default', name))),
  );

  for (const name of names)
    expect((await api.get(deployment, name)).spec).toMatchObject({ replicas: 1 });
  const ofDeployments = reads().filter(({ resource }) => resource === 'deployments');
  expect(ofDeployments.filter(({ verb }) => verb === 'list')).toHaveLength(2);
});

test('law 12 a redelivered request message does not repair a contested field', async () => {
  const { reconciler, api } = await openCluster();
  const updated: unknown[] = [];
  for (let deliveries = 0; deliveries < 3; deliveries++) {
    await api.scale(deployment, 'foo-0', 7);
    const { report } = await deliverBody(reconciler, {
      version: 1,
      request: { namespace: 'default' },
    });
    updated.push(report?.outcomes.updated);
  }
  expect(updated).toEqual([1, 0, 0]);
});

test('a delivery about many namespaces makes a bounded number of reads', async () => {
  const { reconciler, reads } = await openCluster();
  const types = [deployment, service, secret, statefulSet, ingress];
  const entries = numbers(32).flatMap((n) =>
    types.map(({ group: apiGroup, plural: resource }) =>
      auditEvent({
        verb: 'delete',
        objectRef: { resource, namespace: `ns-${n}`, name: 'x', apiGroup, apiVersion: 'v1' },
      }),
    ),
  );
  await deliverBody(reconciler, eventList(...entries));
  expect(reads().length).toBeLessThanOrEqual(64 + 64);
});

test('a delivery about very many namespaces lists every affected kind in all of them', async () => {
  const { reconciler, reads } = await openCluster();
  const { reconcileRequests: requests } = await deliverBody(
    reconciler,
    eventList(...numbers(5000).map((n) => written('delete', `ns-${n}`, 'x'))),
  );
  expect(requests.map(({ kind, namespace }) => [kind?.split('.')[0], namespace])).toEqual(
    deploying.map((kind) => [kind, undefined]),
  );
  expect(reads().length).toBeLessThanOrEqual(deploying.length * 5);
});

/** Sends a resync of everything and these requests, all of which arrive before any list returns. */
async function pileUp(name: string, reply: ApiReply, others: readonly object[]) {
  const gate = Promise.withResolvers<void>();
  const api = await startApiEndpoint(async () => {
    await gate.promise;
    return reply;
  });
  const { reconciler, logged } = reconcilerAgainst(api.url);
  let arrived = 0;
  const respond = createResponder(reconciler.log);
  http(name, (request, response) =>
    respond(response, () => {
      arrived++;
      return resyncClusters([reconciler], jsonBodyOf(request));
    }),
  );
  const send = await startFunction(name);
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await setTimeout(5);
  };
  const sent = [send({ body: {} })];
  await until(() => api.requests.length > 0);
  sent.push(...others.map((body) => send({ body })));
  await until(() => arrived === sent.length);
  gate.resolve();
  const codes = (await Promise.all(sent)).map(({ code }) => code);
  return {
    codes,
    count: (line: string) => logged.filter(({ message }) => message === line).length,
  };
}

const sixty = [...numbers(59).map(() => ({})), { kind: 'Foo' }];

test('sixty concurrent resyncs share two runs: the current one, and one for the rest', async () => {
  const { codes, count } = await pileUp('resyncs', { body: { metadata: {}, items: [] } }, sixty);
  expect(codes).toEqual(Array(61).fill(200));
  expect(count('resynced')).toBe(3);
});

test('requests that spell one kind differently share one run', async () => {
  const spellings = ['Foo', 'foo', 'foos', 'FOOS', 'foos.example.com'].map((kind) => ({ kind }));
  const empty = { body: { metadata: {}, items: [] } };
  const { codes, count } = await pileUp('spellings', empty, spellings);
  expect(codes).toEqual(Array(6).fill(200));
  expect(count('resynced')).toBe(3);
});

test('a failed run is logged once for all its requests', async () => {
  const { codes, count } = await pileUp('failing', status(403, 'Forbidden'), sixty);
  expect(codes).toEqual(Array(61).fill(503));
  expect(count('run failed')).toBe(3);
});

const forged = (user: string) => {
  const [objectRef, time] = [
    { ...written('delete', 'default', 'foo-0') },
    new Date().toISOString(),
  ];
  return { ...objectRef, user: { username: user }, requestReceivedTimestamp: time };
};
const user = `ceo@example.com\n\u202Edeleted by ${'x'.repeat(300)}`;
const attributions: Record<string, { reason: string; env: Record<string, string>; want: RegExp }> =
  {
    Unauthenticated: {
      reason: 'the caller may be anyone',
      env: {},
      want: /^Deployment foo-0: was gone, created again$/,
    },
    Authenticated: {
      reason: 'the name is on one line, bounded, and comes with its source',
      env: { ATTRIBUTE_REPAIRS: 'true' },
      want: /^Deployment foo-0: was deleted by "ceo@example\.com\\\\u000a\\\\u202edeleted by x{99}…" with \S+ at \d\d:\d\d UTC \(audit log\), created again$/,
    },
  };
test.each(casesOf(attributions))(
  'an Event names the user of an audit entry only if callers are authenticated: %s',
  async (_, { env, want }) => {
    const { cluster, api } = await openCluster();
    const { reconciler, logged } = reconcilerAgainst(cluster.url, env);
    onTestFinished(() => reconciler.close());
    await api.remove(deployment, 'foo-0');
    await deliverBody(reconciler, eventList(forged(user)));
    const events = await api.list(eventType);
    const messages = events.flatMap((event) =>
      event.reason === 'Repaired' ? [String(event.message)] : [],
    );
    expect(messages).toEqual([expect.stringMatching(want)]);
    expect(JSON.stringify(logged).includes('ceo@')).toBe('ATTRIBUTE_REPAIRS' in env);
  },
);
