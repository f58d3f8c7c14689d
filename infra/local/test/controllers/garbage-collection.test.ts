import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalCluster, startLocalCluster } from '../../cluster.ts';
import { definition } from '../contract/definitions.ts';
import { toyVersion } from '../contract/toys.ts';
import { ask, configMap, configMaps, exists, makeOwner, mergePatchType } from '../local-client.ts';

let cluster: LocalCluster;
beforeAll(async () => {
  cluster = await startLocalCluster();
});
afterAll(() => cluster.stop());

const make = (name: string, ownerReferences: readonly object[], more: object = {}) =>
  ask(cluster, `POST ${configMaps}`, { body: configMap(name, { ownerReferences, ...more }) });
const remove = (name: string, propagationPolicy?: string) =>
  ask(cluster, `DELETE ${configMaps}/${name}`, {
    body: { kind: 'DeleteOptions', propagationPolicy },
  });
const isThere = (name: string) => exists(cluster, `${configMaps}/${name}`);

describe('garbage collection', () => {
  test('in the background: dependents and theirs follow their owner', async () => {
    const owner = await makeOwner(cluster, 'b0');
    const { body } = await make('b1', [owner]);
    await make('b2', [{ ...owner, name: 'b1', uid: body.metadata.uid }]);
    await remove('b0');
    await cluster.controllers.settled();
    expect(await Promise.all(['b0', 'b1', 'b2'].map(isThere))).toEqual([false, false, false]);
  });

  test('in the foreground: the owner waits for those that block it', async () => {
    const owner = await makeOwner(cluster, 'f0');
    const blocking = { ...owner, blockOwnerDeletion: true };
    await make('f1', [blocking], { finalizers: ['example.com/hold'] });
    const { body } = await remove('f0', 'Foreground');
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await cluster.controllers.settled();
    expect(
      (await ask(cluster, `GET ${configMaps}/f1`)).body.metadata.deletionTimestamp,
    ).toBeDefined();
    expect(await isThere('f0')).toBe(true);
    await ask(cluster, `PATCH ${configMaps}/f1`, {
      body: { metadata: { finalizers: null } },
      type: mergePatchType,
    });
    await cluster.controllers.settled();
    expect(await Promise.all(['f0', 'f1'].map(isThere))).toEqual([false, false]);
  });

  test('orphaning: dependents stay, without their reference', async () => {
    const owner = await makeOwner(cluster, 'o0');
    await make('o1', [owner]);
    await remove('o0', 'Orphan');
    await cluster.controllers.settled();
    expect(await isThere('o0')).toBe(false);
    const { body } = await ask(cluster, `GET ${configMaps}/o1`);
    expect(body.metadata.ownerReferences).toBeUndefined();
  });

  test.each([
    { reason: 'of another uid', change: { uid: 'another' }, want: false },
    { reason: 'that does not exist', change: { name: 'nobody' }, want: false },
    { reason: 'of a kind that is not served', change: { kind: 'Thing' }, want: true },
    { reason: 'that exists', change: {}, want: true },
  ])('a dependent with an owner $reason stays: $want', async ({ change, want }) => {
    const name = `d${JSON.stringify(change).replace(/\W/g, '').toLowerCase()}`;
    const owner = await makeOwner(cluster, `${name}-owner`);
    await make(name, [{ ...owner, ...change }]);
    await cluster.controllers.settled();
    expect(await isThere(name)).toBe(want);
  });

  test('one of two owners is enough; the reference to the other goes', async () => {
    const [one, two] = [await makeOwner(cluster, 'two-a'), await makeOwner(cluster, 'two-b')];
    await make('two', [one, two]);
    await remove('two-a');
    await cluster.controllers.settled();
    const { body } = await ask(cluster, `GET ${configMaps}/two`);
    expect(body.metadata.ownerReferences).toEqual([two]);
  });

  test('an owner in another namespace is no owner', async () => {
    await ask(cluster, 'POST /api/v1/namespaces', { body: { metadata: { name: 'elsewhere' } } });
    const owner = await makeOwner(cluster, 'here');
    const place = '/api/v1/namespaces/elsewhere/configmaps';
    await ask(cluster, `POST ${place}`, { body: configMap('x', { ownerReferences: [owner] }) });
    await cluster.controllers.settled();
    expect(await exists(cluster, `${place}/x`)).toBe(false);
  });

  test('a dependent of an unserved kind is deleted once the kind is served and the owner is missing', async () => {
    const names = { kind: 'Late', plural: 'lates', singular: 'late', listKind: 'LateList' };
    const owner = { apiVersion: 'late.example.com/v1', kind: 'Late', name: 'l0', uid: 'nobody' };
    await make('l1', [owner]);
    await cluster.controllers.settled();
    expect(await isThere('l1')).toBe(true);
    await ask(cluster, 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition({
        group: 'late.example.com',
        names,
        versions: [toyVersion({ type: 'object' })],
      }),
    });
    await cluster.controllers.settled();
    expect(await isThere('l1')).toBe(false);
  });

  test('nothing happens while the controllers are paused, and all of it after', async () => {
    const owner = await makeOwner(cluster, 'p0');
    await make('p1', [owner]);
    cluster.controllers.pause();
    await remove('p0');
    await cluster.controllers.settled();
    expect(await isThere('p1')).toBe(true);
    cluster.controllers.resume();
    await cluster.controllers.settled();
    expect(await isThere('p1')).toBe(false);
  });
});

describe('a namespace', () => {
  const namespaces = '/api/v1/namespaces';

  test('is deleted with its contents, and waits for finalizers', async () => {
    await ask(cluster, `POST ${namespaces}`, { body: { metadata: { name: 'gone' } } });
    const place = `${namespaces}/gone/configmaps`;
    await ask(cluster, `POST ${place}`, { body: configMap('free') });
    await ask(cluster, `POST ${place}`, { body: configMap('held', { finalizers: ['e.com/h'] }) });
    const { body } = await ask(cluster, `DELETE ${namespaces}/gone`);
    expect(body.status.phase).toBe('Terminating');
    await cluster.controllers.settled();
    expect(await exists(cluster, `${place}/free`)).toBe(false);
    expect(await exists(cluster, `${namespaces}/gone`)).toBe(true);
    const refused = await ask(cluster, `POST ${place}`, { body: configMap('new') });
    expect(refused).toMatchObject({ code: 403, body: { reason: 'Forbidden' } });
    await ask(cluster, `PATCH ${place}/held`, {
      body: { metadata: { finalizers: null } },
      type: mergePatchType,
    });
    await cluster.controllers.settled();
    expect(await exists(cluster, `${namespaces}/gone`)).toBe(false);
  });
});
