import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { readDelivery } from '../../shared/audit/delivery.ts';
import { deliver, selectionFor } from '../../shared/controller/deliver.ts';
import { textAt, valueAt } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { label } from '../../shared/kinds/names.ts';
import { foo } from '../../systems/foo.ts';
import { type Api, openApi } from '../scenarios/api.ts';
import { kinds } from '../support/config.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';
import { effort, testTimeoutMs } from './runs.ts';

let cluster: LocalCluster;
let client: Client;
let heard: unknown[] = [];
let worlds = 0;

beforeAll(async () => {
  cluster = await startLocalCluster({
    controllers: 'paused',
    onAudit: (event) => heard.push(event),
  });
  client = createClient({ url: cluster.url });
  await install(applyTo(cluster.url), { kinds, user: 'engine', samples: false });
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

const types = [foo, deployment];

/** Makes the event that Knative's ApiServerSource sends after the request of an audit Event; undefined for other types. */
function watchEventOf(event: unknown): object | undefined {
  const type = types.find(({ plural }) => plural === textAt(event, 'objectRef', 'resource'));
  const verbs: Record<string, string> = { create: 'add', delete: 'delete' };
  if (type === undefined) return;
  return {
    specversion: '1.0',
    id: textAt(event, 'auditID'),
    type: `dev.knative.apiserver.ref.${verbs[textAt(event, 'verb') ?? ''] ?? 'update'}`,
    data: {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      namespace: textAt(event, 'objectRef', 'namespace'),
      name: textAt(event, 'objectRef', 'name'),
    },
  };
}

/** Returns the events of the writes since the last call, in the form of a sender. */
function takeEvents(sender: 'audit' | 'watch'): readonly object[] {
  const events = heard.filter((event) =>
    /^(create|update|patch|delete)$/.test(String(valueAt(event, 'verb'))),
  );
  heard = [];
  return sender === 'audit'
    ? events.map((event) => ({
        ...(event as object),
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Event',
      }))
    : events.flatMap((event) => watchEventOf(event) ?? []);
}

const edits = {
  scale: (api: Api, name: string) => api.patch(deployment, name, { spec: { replicas: 7 } }),
  remove: (api: Api, name: string) => api.remove(deployment, name),
  edit: (api: Api, name: string) => api.patch(foo, name, { spec: { replicas: 3 } }),
  unlabel: (api: Api, name: string) =>
    api.patch(deployment, name, { metadata: { labels: { [label.managedBy]: null } } }),
};

interface World {
  readonly sender: 'audit' | 'watch';
  /** The changes of the Deployments of the Foos a, b, c, in this order. */
  readonly script: readonly { readonly name: string; readonly edit: keyof typeof edits }[];
  /** For each event: how often it is delivered, and its place. */
  readonly fate: readonly { readonly copies: number; readonly order: number }[];
  /** Events of writes that never happened. */
  readonly lies: readonly string[];
}

const names = ['a', 'b', 'c'];
const worldsOf = fc.record({
  sender: fc.constantFrom('audit' as const, 'watch' as const),
  script: fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      edit: fc.constantFrom(...(Object.keys(edits) as (keyof typeof edits)[])),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  // Half of the events are lost.
  fate: fc.array(fc.record({ copies: fc.constantFrom(0, 0, 1, 2), order: fc.nat() }), {
    minLength: 12,
    maxLength: 12,
  }),
  lies: fc.array(fc.constantFrom('a', 'b', 'gone'), { maxLength: 2 }),
});

const lie = (namespace: string, name: string) => ({
  specversion: '1.0',
  type: 'dev.knative.apiserver.ref.delete',
  data: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
});

/** Starts Foos in a new namespace, and returns what the deliveries and resyncs of a world need. */
async function open() {
  const namespace = `world-${worlds++}`;
  await client.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  const api = openApi(client, namespace);
  const { reconciler } = reconcilerAgainst(cluster.url, { NAMESPACES: namespace });
  for (const name of names)
    await api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  const send = (body: unknown) =>
    deliver(reconciler, selectionFor(reconciler, readDelivery(body, { types })));
  const resync = () => send({ version: 1, request: {} });
  await resync();
  heard = [];
  const states = async () =>
    Promise.all(
      names.map(async (name) => {
        const live = await api.find(deployment, name);
        return [live?.spec?.replicas, live?.metadata.labels?.[label.managedBy]];
      }),
    );
  const expected = () =>
    Promise.all(
      names.map(async (name) => [
        (await api.get(foo, name)).spec?.replicas,
        'serverless-reconciler',
      ]),
    );
  return { namespace, api, reconciler, send, resync, states, expected };
}

async function play(api: Api, script: World['script']): Promise<void> {
  for (const { name, edit } of script)
    await edits[edit](api, name).catch((error: unknown) => {
      // The Deployment may be gone.
      if (!String(error).includes('404')) throw error;
    });
}

test(
  'with half of the audit events lost, and others repeated, reordered and invented, a resync leaves nothing to repair',
  () =>
    fc.assert(
      fc.asyncProperty(worldsOf, async ({ sender, script, fate, lies }: World) => {
        const { namespace, api, reconciler, send, resync, states, expected } = await open();
        await play(api, script);
        const events = takeEvents(sender).flatMap((event, at) => {
          const { copies = 0, order = 0 } = fate[at] ?? {};
          return Array.from({ length: copies }, (_, copy) => ({ event, order: order + copy }));
        });
        events.sort((one, other) => one.order - other.order);
        for (const { event } of events) await send(event);
        await send(lies.map((name) => lie(namespace, name)));
        await resync();
        expect(await states()).toEqual(await expected());
        expect((await resync()).report?.outcomes).toMatchObject({
          created: 0,
          updated: 0,
          deleted: 0,
        });
        await reconciler.close();
      }),
      effort(30),
    ),
  testTimeoutMs,
);

test(
  'if no audit event is lost, they cause all repairs, and the events of the repairs cause no write',
  () =>
    fc.assert(
      fc.asyncProperty(worldsOf, async ({ sender, script }: World) => {
        const { api, reconciler, send, states, expected } = await open();
        await play(api, script);
        for (const event of takeEvents(sender)) await send(event);
        expect(await states()).toEqual(await expected());
        for (const event of takeEvents(sender)) await send(event);
        const echoes = takeEvents(sender);
        expect(echoes).toEqual([]);
        await reconciler.close();
      }),
      effort(30),
    ),
  testTimeoutMs,
);
