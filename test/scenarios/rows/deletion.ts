import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import { eventually } from '../eventually.ts';
import type { Scenarios } from '../place.ts';
import { condition, hold, letGo, newFoo, newSite, rename } from '../resources.ts';

/** C-7 and C-13: an object that is being deleted is not changed. */
export const deletion: Scenarios = {
  async 'C-7 a resource being deleted in the foreground gets no write, its children go'(place) {
    await newSite(place);
    await place.converge();
    await place.api.patch(deployment, 'shop', hold);
    await place.converge();
    await place.api.remove(website, 'shop', 'Foreground');
    await place.gone(service, 'shop');
    await eventually(async () => {
      const { metadata } = await place.api.get(deployment, 'shop');
      expect(metadata.deletionTimestamp).toBeDefined();
    });
    const writes = await place.writes();
    const { resources, failures } = await place.resync();
    expect({ resources, failures }).toEqual({
      resources: { total: 1, unchanged: 1, reconciled: 0 },
      failures: [],
    });
    expect(await place.writes()).toEqual(writes);
    expect(await place.api.find(service, 'shop')).toBeUndefined();
    await place.api.patch(deployment, 'shop', letGo);
    await place.gone(website, 'shop');
    expect(await place.api.find(deployment, 'shop')).toBeUndefined();
    expect((await place.resync()).resources.total).toBe(0);
  },

  async 'C-7 a resource held by a foreign finalizer is no longer repaired'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.patch(foo, 'example', hold);
    await place.api.remove(foo, 'example');
    await place.api.scale(deployment, 'chosen', 4);
    await place.api.patch(foo, 'example', { spec: { deploymentName: 'later' } });
    const writes = await place.writes();
    await place.resync();
    await place.api.remove(deployment, 'chosen');
    await place.resync();
    expect(await place.writes()).toEqual(writes);
    expect(await place.api.list(deployment)).toEqual([]);
    await place.api.patch(foo, 'example', letGo);
    expect((await place.resync()).resources.total).toBe(0);
  },

  async 'C-7 a resource deleted in the background is gone: success, and no write'(place) {
    await newSite(place);
    await place.converge();
    const writes = await place.writes();
    await place.api.remove(website, 'shop', 'Background');
    const { resources, failures } = await place.resync();
    expect({ total: resources.total, failures }).toEqual({ total: 0, failures: [] });
    await place.gone(deployment, 'shop');
    await place.gone(service, 'shop');
    await place.resync();
    expect(await place.writes()).toEqual(writes);
    expect(place.complaints()).toEqual([]);
  },

  async 'C-7 a resource recreated under the same name gets its own children'(place) {
    await place.stage.garbageCollected();
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.patch(deployment, 'chosen', hold);
    await place.api.remove(foo, 'example');
    const again = await newFoo(place, 'example', 'chosen', 3);
    await place.resync();
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('False');
    await place.api.patch(deployment, 'chosen', letGo);
    await place.converge();
    const child = await place.api.get(deployment, 'chosen');
    expect(child.metadata.ownerReferences).toMatchObject([{ uid: again.metadata.uid }]);
    expect(child.spec).toMatchObject({ replicas: 3 });
  },

  async 'C-13 a child being deleted is left alone, and recreated once it is gone'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.patch(deployment, 'chosen', hold);
    await place.converge();
    const before = await place.api.get(deployment, 'chosen');
    await place.api.remove(deployment, 'chosen');
    await place.api.scale(deployment, 'chosen', 4);
    const writes = await place.writes('deployments');
    expect((await place.resync()).outcomes).toMatchObject({ skipped: 1, updated: 0 });
    const waiting = await place.api.get(foo, 'example');
    expect(condition(waiting, 'Reconciling')).toMatchObject({
      reason: 'ChildDeleting',
      message: 'Deployment chosen is being deleted',
    });
    expect(condition(waiting, 'Stalled')).toBeUndefined();
    await place.resync();
    expect(await place.writes('deployments')).toEqual(writes);
    await place.api.patch(deployment, 'chosen', letGo);
    await place.gone(deployment, 'chosen');
    expect((await place.resync()).outcomes.created).toBe(1);
    await place.converge();
    const after = await place.api.get(deployment, 'chosen');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec).toMatchObject({ replicas: 2 });
  },

  async 'C-13 a child deleted in the foreground is recreated once it is gone'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(deployment, 'shop');
    await place.api.remove(deployment, 'shop', 'Foreground');
    await place.converge();
    const after = await place.api.get(deployment, 'shop');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.metadata.deletionTimestamp).toBeUndefined();
    expect(place.complaints()).toEqual([]);
  },

  async 'C-13 a pruned child held by a finalizer is waited for, and listed until it is gone'(
    place,
  ) {
    await newFoo(place, 'example', 'a');
    await place.converge();
    await place.api.patch(deployment, 'a', hold);
    await place.converge();
    await rename(place, 'example', 'b');
    await place.resync();
    await eventually(async () => {
      await place.resync();
      const { status } = await place.api.get(foo, 'example');
      expect(status?.conditions).toMatchObject([{ type: 'Ready' }, { reason: 'ChildDeleting' }]);
      expect(status?.children?.map(({ name }) => name)).toEqual(['b', 'a']);
    });
    const writes = await place.writes('deployments');
    await place.resync();
    expect(await place.writes('deployments')).toEqual(writes);
    await place.api.patch(deployment, 'a', letGo);
    await place.gone(deployment, 'a');
    await place.converge();
    const { status } = await place.api.get(foo, 'example');
    expect(status?.children?.map(({ name }) => name)).toEqual(['b']);
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('True');
  },
};
