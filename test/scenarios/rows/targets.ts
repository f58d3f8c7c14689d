import { expect } from 'vitest';
import { deployment, statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import { ingress } from '../../../shared/kinds/child-types/networking.ts';
import { horizontalPodAutoscaler } from '../../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject, ResourceType } from '../../../shared/kubernetes.ts';
import { kinds } from '../../support/config.ts';
import { eventually } from '../eventually.ts';
import type { Place, Scenarios } from '../place.ts';
import {
  condition,
  foreignDeployment,
  hold,
  isReady,
  letGo,
  newSite,
  replicasOf,
} from '../resources.ts';

const containerApp = kinds.find(({ kind }) => kind === 'ContainerApp') as ResourceType;
const database = kinds.find(({ kind }) => kind === 'Database') as ResourceType;

const newApp = (place: Place, spec: JsonObject = {}) =>
  place.api.create(containerApp, 'shop', { spec: { image: 'nginx:1', ...spec } });

const endpoints = [{ path: '/' }, { path: 'a', scopes: ['x.read'] }];

/** Removes the owner reference, so that the object no longer belongs to the resource. */
const disown = (place: Place, type: ResourceType, name = 'shop') =>
  place.api.patch(type, name, { metadata: { ownerReferences: null } });

const scaled = (place: Place) => place.api.scale(deployment, 'shop', 10);

const expectStalled = async (place: Place): Promise<void> => {
  const stalled = condition(await place.api.get(containerApp, 'shop'), 'Stalled');
  expect(stalled).toMatchObject({ reason: 'ErrResourceExists' });
};

/** Resyncs until only the condition about the blocked child is left. */
async function expectAtRest(place: Place): Promise<void> {
  await eventually(async () => {
    const { outcomes, statusWrites } = await place.resync();
    expect([outcomes.created, outcomes.updated, outcomes.deleted, statusWrites]).toEqual([
      0, 0, 0, 0,
    ]);
  });
  const before = (await place.writes()).length;
  for (let resyncs = 0; resyncs < 3; resyncs++) await place.resync();
  expect((await place.writes()).slice(before)).toEqual([]);
}

/** Our children act only on objects of ours. */
export const targets: Scenarios = {
  async "C-6 another's Deployment is not scaled by an autoscaler of ours"(place) {
    await place.api.create(deployment, 'shop', foreignDeployment());
    await scaled(place);
    await newApp(place, { endpoints });
    await place.resync();
    await expectAtRest(place);
    await expectStalled(place);
    expect(await place.api.list(horizontalPodAutoscaler)).toEqual([]);
    expect(await replicasOf(place, 'shop')).toBe(10);
    // Children that do not act on the Deployment proceed.
    expect(await place.api.list(ingress)).toHaveLength(2);
    await place.api.remove(deployment, 'shop');
    await place.gone(deployment, 'shop');
    await place.converge();
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
    expect(await place.api.list(horizontalPodAutoscaler)).toHaveLength(1);
  },

  async "C-6 an autoscaler goes once its Deployment is another's"(place) {
    await newApp(place);
    await place.converge();
    await disown(place, deployment);
    await scaled(place);
    const report = await place.resync();
    expect(report.outcomes).toMatchObject({ deleted: 1, blocked: 1 });
    expect(await place.api.list(horizontalPodAutoscaler)).toEqual([]);
    await scaled(place);
    await expectAtRest(place);
    await expectStalled(place);
    expect(await replicasOf(place, 'shop')).toBe(10);
    await place.api.remove(deployment, 'shop');
    await place.gone(deployment, 'shop');
    await place.converge();
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
    expect(await place.api.list(horizontalPodAutoscaler)).toHaveLength(1);
  },

  async 'C-4 an autoscaler stays while its Deployment is gone or being deleted'(place) {
    await newApp(place);
    await place.converge();
    const { uid } = (await place.api.get(horizontalPodAutoscaler, 'shop')).metadata;
    await place.api.patch(deployment, 'shop', hold);
    await place.api.remove(deployment, 'shop');
    await place.resync();
    await place.api.patch(deployment, 'shop', letGo);
    await place.gone(deployment, 'shop');
    await place.converge();
    expect((await place.api.get(horizontalPodAutoscaler, 'shop')).metadata.uid).toBe(uid);
  },

  async "C-6 G-3 endpoints close once their Service is another's, and open again"(place) {
    await newApp(place, { endpoints });
    await place.converge();
    expect(await place.api.list(ingress)).toHaveLength(2);
    await disown(place, service);
    expect((await place.resync()).outcomes).toMatchObject({ deleted: 2, blocked: 1 });
    expect(await place.api.list(ingress)).toEqual([]);
    await expectAtRest(place);
    await expectStalled(place);
    expect(await place.api.list(horizontalPodAutoscaler)).toHaveLength(1);
    await place.api.remove(service, 'shop');
    await place.converge();
    expect(await isReady(place, containerApp, 'shop')).toBe(true);
    expect(await place.api.list(ingress)).toHaveLength(2);
  },

  async 'C-2 C-6 a Website and a ContainerApp of the same name do not fight'(place) {
    await newSite(place);
    await place.converge();
    await newApp(place, { minReplicas: 1, endpoints });
    await place.resync();
    await expectAtRest(place);
    await expectStalled(place);
    expect(await replicasOf(place, 'shop')).toBe(2);
    expect(await place.api.list(ingress)).toEqual([]);
    expect(await place.api.list(horizontalPodAutoscaler)).toEqual([]);
  },

  async "D-4 a running workload stays although a Secret it reads is another's"(place) {
    const storage = { size: '1Gi' };
    const spec = { storage, databaseName: 'db', username: 'admin' };
    await place.api.create(database, 'shop', { spec });
    await place.converge();
    const live = () => place.api.get(statefulSet, 'shop');
    const { uid } = (await live()).metadata;
    await place.api.patch(secret, 'shop-credentials', {
      metadata: { ownerReferences: null, labels: null },
    });
    await place.resync();
    await place.resync();
    expect((await live()).metadata.uid).toBe(uid);
  },
};
