import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../infra/cli/base/session.ts';
import { openBoundedReads } from '../../infra/dashboard/looks/bounded-reads.ts';
import { readPods } from '../../infra/dashboard/looks/pods.ts';
import type { PodsView } from '../../infra/dashboard/views.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { pod, service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject, KubeObject, ResourceType } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { type Api, controllerOf, type Live, openApi } from '../scenarios/api.ts';
import { openSessionOn } from './ground.ts';
import { type LogRelay, startLogRelay } from './log-relay.ts';

let cluster: LocalCluster;
let relay: LogRelay;
let api: Api;
let shop: Live;
const ends: (() => Promise<unknown>)[] = [];
const replicaSet = { ...deployment, kind: 'ReplicaSet', plural: 'replicasets' };
const longLog = Array.from({ length: 90 }, (_, at) => `\u001b[31mline ${at}\u001b[0m`).join('\n');

beforeAll(async () => {
  cluster = await startLocalCluster({ tokens: { weak: { username: 'weak' } } });
  const client = createClient({ url: cluster.url });
  relay = await startLogRelay(cluster, (of) => (of === 'shop-mute/web' ? undefined : longLog));
  ends.push(relay.stop, client.close, cluster.stop);
  api = openApi(client, 'default');
  shop = await workload('shop');
  const set = await api.create(replicaSet, 'shop-1', {
    metadata: ownedBy(shop),
    spec: { ...(shop.spec as JsonObject), replicas: 5 },
  });
  await podOf(set, 'shop-well', { ready: true });
  await podOf(set, 'shop-crash', {
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting' } },
    lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    restartCount: 4,
  });
  await podOf(set, 'shop-mute', { state: { running: {} } });
  await podOf(set, 'shop-pull', {
    state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } },
  });
  await podOf(await workload('rival'), 'rival-1', { state: { running: {} } });
  await event(shop, 'of the Deployment', '2026-01-01T00:00:01Z');
  await event(set, 'quota is used up', '2026-01-01T00:00:03Z');
  await event((await api.get(pod, 'shop-pull'))!, 'cannot pull', '2026-01-01T00:00:02Z');
  await event((await api.get(pod, 'shop-well'))!, 'of a ready pod', '2026-01-01T00:00:04Z');
});
afterAll(async () => {
  for (const end of ends) await end();
});

const labels = { app: 'shop' };

/** A Deployment whose pods have the same labels as every other one's. */
const workload = (name: string) =>
  api.create(deployment, name, {
    spec: {
      selector: { matchLabels: labels, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'w' }] } },
    },
  });

const ownedBy = (owner: Live) => ({ labels, ownerReferences: [controllerOf(owner)] });

async function podOf(owner: Live, name: string, container: JsonObject): Promise<void> {
  const isReady = container.ready === true;
  await api.create(pod, name, {
    metadata: ownedBy(owner),
    spec: { containers: [{ name: 'web', image: 'w' }] },
  });
  await api.patch(
    pod,
    name,
    {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
        containerStatuses: [
          { name: 'web', image: 'w', imageID: '', ready: false, restartCount: 0, ...container },
        ],
      },
    },
    { subresource: 'status' },
  );
}

const event = ({ kind, metadata: { name, uid } }: KubeObject, message: string, at: string) =>
  api.create(eventType, message.replaceAll(' ', '-').toLowerCase(), {
    involvedObject: { kind, namespace: 'default', name, uid },
    type: 'Warning',
    reason: 'Odd',
    message,
    lastTimestamp: at,
  });

async function sessionAs(token?: string): Promise<Session> {
  const kubeconfig = () => cluster.kubeconfig(token).replaceAll(cluster.url, relay.url);
  const session = await openSessionOn({ kubeconfig });
  ends.unshift(session.close);
  return session;
}

async function look(
  { type, live }: { type: ResourceType; live: KubeObject },
  token?: string,
): Promise<PodsView> {
  const { credentials } = await sessionAs(token);
  return readPods(openBoundedReads(credentials)(), { type, live });
}

describe('the pods panel of a Deployment', () => {
  it('shows its own pods, worst first, each with its reason', async () => {
    const { pods, failures, isCut } = await look({ type: deployment, live: shop });
    expect(pods?.map(({ name, state }) => [name, state])).toEqual([
      ['shop-crash', 'Failed'],
      ['shop-mute', 'InProgress'],
      ['shop-pull', 'InProgress'],
      ['shop-well', 'Current'],
    ]);
    expect(pods?.[0]).toMatchObject({
      restarts: 4,
      message: 'container web keeps crashing',
      containers: [
        {
          text: 'waiting: CrashLoopBackOff: back-off 5m0s restarting; last time ended with exit code 3 (Error)',
        },
      ],
    });
    expect(pods?.at(-1)?.containers).toEqual([]);
    expect(isCut).toBe(false);
    expect(failures).toEqual([
      expect.stringMatching(/^cannot read the log of web in Pod shop-mute: .*kubelet/),
    ]);
  });

  it('shows the Events of the Deployment, its newest ReplicaSet and pods that are not ready', async () => {
    const { events } = await look({ type: deployment, live: shop });
    expect(events.map(({ message, of }) => [message, of])).toEqual([
      ['quota is used up', 'ReplicaSet default/shop-1'],
      ['cannot pull', 'Pod default/shop-pull'],
      ['of the Deployment', 'Deployment default/shop'],
    ]);
  });

  it('shows the last log lines of containers that have run, without control sequences', async () => {
    relay.asked.clear();
    const { logs } = await look({ type: deployment, live: shop });
    expect(logs.map(({ pod: of, lines }) => [of, lines.length, lines.at(-1)])).toEqual([
      ['shop-crash', 40, 'line 89'],
    ]);
    expect([...relay.asked.keys()].toSorted()).toEqual(['shop-crash/web', 'shop-mute/web']);
    expect(Object.fromEntries(relay.asked.get('shop-crash/web') ?? [])).toMatchObject({
      tailLines: '40',
      limitBytes: '32768',
    });
  });

  it('names each missing permission, and shows the rest', async () => {
    const { pods, events, failures } = await look({ type: deployment, live: shop }, 'weak');
    expect([pods, events]).toEqual([[], []]);
    for (const permission of ['list pods', 'list replicasets.apps', 'list events'])
      expect(failures.join('\n')).toContain(
        `The permission to ${permission} in the namespace default is missing: `,
      );
    await grant('pods');
    const after = await look({ type: deployment, live: shop }, 'weak');
    expect(after.failures.join('\n')).not.toContain('list pods');
  });
});

async function grant(...resources: readonly string[]): Promise<void> {
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
  await api.create({ ...rbac, kind: 'Role', plural: 'roles' }, 'some', {
    rules: [{ apiGroups: [''], resources, verbs: ['list'] }],
  });
  await api.create({ ...rbac, kind: 'RoleBinding', plural: 'rolebindings' }, 'some', {
    roleRef: { apiGroup: rbac.group, kind: 'Role', name: 'some' },
    subjects: [{ apiGroup: rbac.group, kind: 'User', name: 'weak' }],
  });
}

it('the panel of a Service shows Events and no pods', async () => {
  const live = await api.create(service, 'shop', {
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  await event(live, 'no load balancer', '2026-01-01T00:00:01Z');
  const found = await look({ type: service, live });
  expect(found).not.toHaveProperty('pods');
  expect(found.events.map(({ message }) => message)).toEqual(['no load balancer']);
});

it('a panel sends at most eleven requests, all reads', async () => {
  cluster.requests.reset();
  relay.asked.clear();
  await look({ type: deployment, live: shop });
  const asked = cluster.requests.list();
  expect(asked.length + relay.asked.size).toBeLessThanOrEqual(11);
  expect(new Set(asked.map(({ verb }) => verb))).toEqual(new Set(['list']));
});
