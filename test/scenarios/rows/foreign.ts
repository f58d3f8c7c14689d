import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import { controllerOf } from '../api.ts';
import { configMap } from '../built-in-kinds.ts';
import { otherFoo } from '../definitions.ts';
import type { Place, Scenarios } from '../place.ts';
import {
  condition,
  foreignDeployment,
  foreignService,
  hold,
  letGo,
  newFoo,
  newSite,
  rename,
} from '../resources.ts';

/** Expects the Foo `example` to report a foreign object with its chosen name, and to do nothing else. */
async function expectBlocked(place: Place, remedy = ''): Promise<void> {
  const before = await place.api.get(deployment, 'taken');
  expect((await place.resync()).outcomes).toMatchObject({ blocked: 1, created: 0, updated: 0 });
  const message = `Resource "taken" already exists and is not managed by Foo; it is a Deployment${remedy}`;
  const live = await place.api.get(foo, 'example');
  expect(condition(live, 'Ready')).toMatchObject({ status: 'False', reason: 'ErrResourceExists' });
  expect(condition(live, 'Stalled')).toMatchObject({ status: 'True', message });
  expect(condition(live, 'Reconciling')).toBeUndefined();
  expect(live.status?.children).toEqual([]);
  expect(await place.events('example')).toMatchObject([
    { type: 'Warning', reason: 'ErrResourceExists', message },
  ]);
  await place.resync();
  const after = await place.api.get(deployment, 'taken');
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.spec).toEqual(before.spec);
  expect(await place.writes('deployments')).toEqual([]);
}

/** Removes the foreign object, and expects the next resync to recover. */
async function expectHealed(place: Place): Promise<void> {
  expect((await place.resync()).outcomes).toMatchObject({ created: 1, blocked: 0 });
  await place.converge();
  const live = await place.api.get(foo, 'example');
  expect(condition(live, 'Ready')?.status).toBe('True');
  expect(condition(live, 'Stalled')).toBeUndefined();
}

/** C-6, F-8 and F-10: an object that this very resource does not control is never touched. */
export const foreign: Scenarios = {
  async 'C-6 an object with our labels but without a controller is left alone'(place) {
    const labels = {
      'app.kubernetes.io/managed-by': 'serverless-reconciler',
      'app.kubernetes.io/instance': 'example',
      'app.kubernetes.io/part-of': 'foo',
    };
    await place.api.create(deployment, 'taken', foreignDeployment({ labels }));
    await newFoo(place, 'example', 'taken');
    await expectBlocked(
      place,
      `, labelled as a child of this Foo but not owned by it, as after a restore; to take it over: reconciler adopt Foo example -n ${place.namespace}`,
    );
    await place.api.remove(deployment, 'taken');
    await expectHealed(place);
  },

  async 'C-6 an object that another object controls is left alone'(place) {
    const owner = await place.api.create(configMap, 'owner', {});
    const owned = foreignDeployment({ ownerReferences: [controllerOf(owner)] });
    await place.api.create(deployment, 'taken', owned);
    await newFoo(place, 'example', 'taken');
    await expectBlocked(place);
    await place.api.remove(deployment, 'taken');
    await expectHealed(place);
  },

  async 'C-6 an object that names us as owner but not as controller is left alone'(place) {
    const live = await newFoo(place, 'example', 'taken');
    const owner = { ...controllerOf(live), controller: false };
    await place.api.create(deployment, 'taken', foreignDeployment({ ownerReferences: [owner] }));
    await expectBlocked(place);
  },

  async 'C-6 a foreign object does not block the other children'(place) {
    await place.api.create(service, 'shop', foreignService());
    await newSite(place);
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, blocked: 1 });
    await place.api.scale(deployment, 'shop', 5);
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1, blocked: 1 });
    const stalled = await place.api.get(website, 'shop');
    expect(condition(stalled, 'Stalled')?.message).toBe(
      'Resource "shop" already exists and is not managed by Website; it is a Service',
    );
    expect(stalled.status?.children).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
    ]);
    await place.api.remove(service, 'shop');
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, blocked: 0 });
    await place.converge();
    expect(condition(await place.api.get(website, 'shop'), 'Ready')?.status).toBe('True');
  },

  async 'C-6 children orphaned by a resource of the same name are not taken over'(place) {
    await newFoo(place, 'example', 'taken', 2);
    await place.converge();
    await place.api.remove(foo, 'example', 'Orphan');
    await place.gone(foo, 'example');
    await newFoo(place, 'example', 'taken', 3);
    expect((await place.resync()).outcomes).toMatchObject({ blocked: 1, updated: 0 });
    expect((await place.api.get(deployment, 'taken')).spec).toMatchObject({ replicas: 2 });
  },

  async 'F-8 a Deployment of a Foo of the same name with another uid is not ours'(place) {
    const live = await newFoo(place, 'example', 'taken');
    const ancestor = { ...controllerOf(live), uid: '00000000-0000-4000-8000-000000000000' };
    const finalizers = hold.metadata.finalizers;
    const dangling = foreignDeployment({ ownerReferences: [ancestor], finalizers });
    await place.api.create(deployment, 'taken', dangling);
    // The garbage collector deletes it too, because its owner does not exist.
    await place.api.remove(deployment, 'taken');
    expect((await place.resync()).outcomes).toMatchObject({ blocked: 0, skipped: 1, created: 0 });
    const { status } = await place.api.get(foo, 'example');
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
      { type: 'Reconciling', reason: 'ChildDeleting' },
    ]);
    expect(await place.events('example')).toEqual([]);
    expect(await place.writes('deployments')).toEqual([]);
    await place.api.patch(deployment, 'taken', letGo);
    await place.gone(deployment, 'taken');
    await expectHealed(place);
  },

  async 'F-8 a Deployment of a Foo of another group is not ours'(place) {
    const owner = await place.api.create(otherFoo, 'example', {});
    const owned = foreignDeployment({ ownerReferences: [controllerOf(owner)] });
    await place.api.create(deployment, 'taken', owned);
    await newFoo(place, 'example', 'taken');
    await expectBlocked(place);
    await place.api.remove(otherFoo, 'example');
    await place.gone(deployment, 'taken');
    await expectHealed(place);
  },

  async 'F-10 of two Foos naming one Deployment the first keeps it, the second reports a conflict'(
    place,
  ) {
    const first = await newFoo(place, 'first', 'shared', 2);
    await place.converge();
    await newFoo(place, 'second', 'shared', 3);
    expect((await place.resync()).outcomes).toMatchObject({ blocked: 1, updated: 0, created: 0 });
    const versions = await place.versions();
    for (let run = 0; run < 3; run++) await place.resync();
    expect(await place.versions()).toEqual(versions);
    const shared = await place.api.get(deployment, 'shared');
    expect(shared.metadata.ownerReferences).toMatchObject([{ uid: first.metadata.uid }]);
    expect(shared.spec).toMatchObject({ replicas: 2 });
    expect(await place.events('second')).toMatchObject([{ reason: 'ErrResourceExists' }]);
    await place.api.remove(foo, 'first');
    await place.gone(deployment, 'shared');
    await place.converge();
    expect((await place.api.get(deployment, 'shared')).spec).toMatchObject({ replicas: 3 });
    expect(condition(await place.api.get(foo, 'second'), 'Ready')?.status).toBe('True');
  },

  async 'F-10 two Foos swapping names both report a conflict, nothing is lost, nothing flaps'(
    place,
  ) {
    await newFoo(place, 'x', 'a');
    await newFoo(place, 'y', 'b');
    await place.converge();
    const before = await place.api.list(deployment);
    await rename(place, 'x', 'b');
    await rename(place, 'y', 'a');
    expect((await place.resync()).outcomes).toMatchObject({ blocked: 2, deleted: 0, created: 0 });
    const versions = await place.versions();
    for (let run = 0; run < 3; run++) await place.resync();
    expect(await place.versions()).toEqual(versions);
    const after = await place.api.list(deployment);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(
      before.map(({ metadata }) => metadata.uid),
    );
    for (const name of ['x', 'y']) {
      expect(condition(await place.api.get(foo, name), 'Stalled')?.reason).toBe(
        'ErrResourceExists',
      );
      expect(await place.events(name, 'ErrResourceExists')).toHaveLength(1);
    }
    await rename(place, 'x', 'c');
    await place.converge();
    const names = (await place.api.list(deployment)).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['a', 'c']);
  },
};
