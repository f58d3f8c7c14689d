import { describe, expect, test } from 'vitest';
import { defaultIdentity, type Identity } from '../../shared/identity.ts';
import { present } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { requestsFor } from '../../shared/preview/planned-resource.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { kindsFor } from '../support/config.ts';
import { shop } from '../support/shop.ts';
import { runWith } from './run-with.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
const app = kindsFor(settings).find(({ kind }) => kind === 'ContainerApp')!;
const kinds = [app, database, foo, website, shop];

const world = useStepWorld(kinds);
const place = usePlace(world);

/** Plans the only resource of a kind, which needs work. */
async function planned(kind: Kind, { pruneLimit = 10, identity = defaultIdentity } = {}) {
  const request = { kind: kind.kind, namespace: place.namespace };
  const { preview } = await previewRun(runWith(world.run, { identity }), [request], {
    area: { kinds, namespaces: undefined },
    concurrency: 1,
    pruneLimit: () => pruneLimit,
  });
  expect(preview.resources.length).toBeLessThanOrEqual(1);
  const [one] = preview.resources;
  expect(preview.requests.toPerform).toBe(one === undefined ? 0 : requestsFor(one).length);
  return one;
}
const settled = async (kind: Kind, identity?: Identity) => {
  for (let resyncs = 0; resyncs < 2; resyncs++)
    await place.resync({ kinds: [kind], ...present({ identity }) });
};
const at = (object: string) => object.replace(' ', ` ${place.namespace}/`);
const manager = 'serverless-reconciler';
const statusOf = (object: string, by = manager) => ({
  verb: 'apply',
  object: at(object),
  subresource: 'status',
  manager: by,
});
const eventOf = (object: string) => ({ verb: 'create', object: `Event of ${at(object)}` });

describe('a create', () => {
  test('W-3 that the server has refused before has that refusal, because a plan does not know who holds a port', async () => {
    const port = place.nodePort();
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: port }] };
    await place.api.create(service, 'holder', { spec });
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: port } });
    expect(await planned(website), 'before the first run').not.toHaveProperty('message');
    await settled(website);
    const one = await planned(website);
    expect(one?.actions.map(({ verb, child }) => [verb, child.kind])).toContainEqual([
      'create',
      'Service',
    ]);
    expect(one?.message).toMatch(
      new RegExp(
        `^the last run ended with NodePortTaken: node port ${port} is held by Service .*holder: choose another one, or free it there$`,
      ),
    );
  });

  test('lists its fields, its requests, and the writes that follow', async () => {
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    const one = await planned(foo);
    expect(one).toMatchObject({
      kind: 'Foo',
      resource: 'foos.example.com',
      name: 'f',
      state: 'planned',
      generation: 1,
      status: { state: 'Reconciling', reason: 'Progressing' },
      events: [{ reason: 'Synced', message: expect.any(String) }],
    });
    expect(one).not.toHaveProperty('message');
    expect(one).not.toHaveProperty('reads');
    const [action, ...more] = one!.actions;
    expect(more).toEqual([]);
    expect(action).toMatchObject({ verb: 'create', child: { kind: 'Deployment', name: 'a' } });
    expect(action).not.toHaveProperty('uid');
    expect(action).not.toHaveProperty('reason');
    expect(action?.differences).toContainEqual(
      expect.objectContaining({ path: 'spec.replicas', from: undefined, to: 1 }),
    );
    expect(action?.requests).toEqual([{ verb: 'apply', object: at('Deployment a'), manager }]);
    expect(one?.commit).toEqual([eventOf('Foo f'), statusOf('Foo f')]);
  });

  test('with generated data lists the objects that must not exist, and both managers', async () => {
    const storage = { size: '1Gi' };
    await place.api.create(database, 'db', {
      spec: { image: 'postgres:14', replicas: 1, storage, databaseName: 'd', username: 'u' },
    });
    const one = await planned(database);
    const secret = one!.actions.find(({ child }) => child.kind === 'Secret');
    expect(secret?.requests).toEqual([
      { verb: 'get', object: at('StatefulSet db') },
      { verb: 'get', object: at('PersistentVolumeClaim data-db-0') },
      {
        verb: 'apply',
        object: at(`Secret ${secret?.child.name}`),
        manager: `${manager}-generated`,
      },
      { verb: 'apply', object: at(`Secret ${secret?.child.name}`), manager },
    ]);
  });
});

describe('a change', () => {
  test('is locked to the version that was read, and ends with a status that records it', async () => {
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
    await settled(website);
    const { metadata, spec } = await place.api.get(service, 'w');
    const [port] = (spec as unknown as { ports: readonly object[] }).ports;
    await place.api.patch(service, 'w', { spec: { ports: [{ ...port, targetPort: 8080 }] } });
    const { metadata: changed } = await place.api.get(service, 'w');
    const one = await planned(website);
    expect(one?.actions).toMatchObject([
      {
        verb: 'update',
        uid: metadata.uid,
        resourceVersion: changed.resourceVersion,
        differences: [{ path: 'spec.ports[port=80,protocol="TCP"].targetPort' }],
      },
    ]);
    expect(one?.events).toMatchObject([{ reason: 'Repaired' }]);
    expect(one?.commit).toEqual([eventOf('Website w'), statusOf('Website w')]);
  });

  test('of an exposure lists the check before it', async () => {
    const endpoints = [{ path: '/' }];
    await place.api.create(app, 'shop', { spec: { image: 'nginx', endpoints } });
    await settled(app);
    const more = [{ path: '/' }, { path: '/b' }];
    await place.api.patch(app, 'shop', { spec: { endpoints: more } });
    const one = await planned(app);
    const change = one!.actions.find(({ child }) => child.kind === 'Ingress');
    expect(change?.requests).toEqual([
      { verb: 'get', object: at('ContainerApp shop') },
      { verb: 'list', object: `Ingresses of ${at('ContainerApp shop')}` },
      { verb: 'apply', object: at(`Ingress ${change?.child.name}`), manager },
    ]);
  });

  test('deletes an unwanted child, or gives the reason why not', async () => {
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await settled(foo);
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    const { metadata } = await place.api.get(deployment, 'a');
    const { uid, resourceVersion } = metadata;
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
    expect((await planned(foo))?.actions.slice(1)).toEqual([
      {
        verb: 'delete',
        child,
        uid,
        resourceVersion,
        differences: [],
        impact: ['interrupt'],
        origin: 'edit',
        requests: [
          { verb: 'get', object: at('Foo f') },
          { verb: 'delete', object: at('Deployment a') },
        ],
      },
    ]);
    await place.api.create(deployment, 'b', {
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { containers: [{ name: 'a', image: 'nginx:1' }] },
        },
      },
    });
    expect((await planned(foo))?.actions).toMatchObject([
      { verb: 'block', reason: 'ErrResourceExists', message: expect.any(String), requests: [] },
      {
        verb: 'wait',
        child,
        reason: 'PruningPending',
        requests: [],
        differences: [],
        message: 'Deployment a is no longer desired, but not deleted yet',
      },
    ]);
  });
});

describe('a resource in a plan', () => {
  test('that is up to date is omitted', async () => {
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await settled(foo);
    expect(await planned(foo)).toBeUndefined();
  });

  test('C-14 that is suspended gets a status', async () => {
    const metadata = { annotations: { 'serverless-reconciler/suspend': 'true' } };
    await place.api.create(foo, 'f', { metadata, spec: { deploymentName: 'a' } });
    expect(await planned(foo)).toMatchObject({
      state: 'suspended',
      actions: [],
      status: { state: 'Suspended' },
      events: [],
      commit: [statusOf('Foo f')],
    });
  });

  test('whose spec is invalid has the reason, and gets a status', async () => {
    await place.api.create(shop, 'one', { spec: { tokens: ['a/../b'] } });
    const one = await planned(shop);
    expect(one).toMatchObject({
      state: 'invalid',
      actions: [],
      message: expect.stringContaining('a/../b'),
      status: { state: 'Stalled', reason: 'InvalidSpec' },
      events: [{ reason: 'InvalidSpec' }],
      commit: [eventOf('Shop one'), statusOf('Shop one')],
    });
    expect(one).not.toHaveProperty('reads');
  });

  test('that refers to objects lists them with their versions', async () => {
    await place.api.create(configMap, 'settings', { data: { tag: 'v1' } });
    await place.api.create(shop, 'one', { spec: { settings: 'settings', tokens: ['missing'] } });
    const { metadata } = await place.api.get(configMap, 'settings');
    expect((await planned(shop))?.reads).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'settings',
        resourceVersion: metadata.resourceVersion,
      },
      { apiVersion: 'v1', kind: 'Secret', name: 'missing' },
    ]);
  });
});
