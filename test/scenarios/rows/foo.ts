import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { foo } from '../../../systems/foo.ts';
import { eventually } from '../eventually.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, foreignDeployment, newFoo, rename, replicasOf } from '../resources.ts';

const setReplicas = (place: Place, replicas: number | null) =>
  place.api.patch(foo, 'example', { spec: { replicas } });

/** F-1 to F-7; the other rows are in foreign.ts and audit.ts. */
export const foos: Scenarios = {
  async 'F-1 omitted replicas are not ours, and keep any value'(place) {
    await place.api.create(foo, 'example', { spec: { deploymentName: 'chosen' } });
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(1);
    await place.api.scale(deployment, 'chosen', 7);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(7);
    await place.api.patch(deployment, 'chosen', { spec: { replicas: 3 } });
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(3);
    expect(await place.events('example', 'Repaired')).toEqual([]);
  },

  async 'F-1 replicas given up later keep their live value throughout'(place) {
    await newFoo(place, 'example', 'chosen', 7);
    await place.converge();
    const before = await place.api.get(deployment, 'chosen');
    await setReplicas(place, null);
    expect((await place.resync()).outcomes).toMatchObject({ updated: 0 });
    await place.converge();
    const after = await place.api.get(deployment, 'chosen');
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.generation).toBe(before.metadata.generation);
    const holders = (after.metadata.managedFields ?? [])
      .filter(({ fieldsV1 }) => fieldsV1['f:spec']?.['f:replicas'] !== undefined)
      .map(({ manager }) => manager);
    expect(holders).toEqual(['serverless-reconciler']);
    await place.api.scale(deployment, 'chosen', 4);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(4);
    await setReplicas(place, 2);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(2);
    await place.api.scale(deployment, 'chosen', 6);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(2);
    await setReplicas(place, null);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(2);
  },

  async 'F-1 replicas given up while an autoscaler has set another value keep that value'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.scale(deployment, 'chosen', 7);
    await setReplicas(place, null);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(7);
  },

  async 'F-2 without a deploymentName no child is written, and nothing is retried'(place) {
    await place.api.create(foo, 'missing', { spec: { replicas: 2 } });
    await place.api.create(foo, 'empty', { spec: { deploymentName: '' } });
    await place.resync();
    for (const name of ['missing', 'empty']) {
      const live = await place.api.get(foo, name);
      expect(condition(live, 'Stalled')).toMatchObject({
        reason: 'InvalidSpec',
        message: 'deploymentName must be specified',
      });
      expect(live.status?.observedGeneration).toBe(1);
      expect(await place.events(name)).toMatchObject([{ type: 'Warning', reason: 'InvalidSpec' }]);
    }
    expect((await place.resync()).resources).toEqual({ total: 2, unchanged: 2, reconciled: 0 });
    expect(await place.api.list(deployment)).toEqual([]);
    await rename(place, 'empty', 'chosen');
    await place.converge();
    expect(condition(await place.api.get(foo, 'empty'), 'Ready')?.status).toBe('True');
    expect(await place.api.list(deployment)).toHaveLength(1);
  },

  async 'F-2 a Foo that loses its deploymentName keeps its Deployment untouched'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const { metadata } = await place.api.get(deployment, 'chosen');
    await rename(place, 'example', '');
    await place.api.scale(deployment, 'chosen', 4);
    const writes = await place.writes('deployments');
    await place.resync();
    await place.resync();
    expect(await place.writes('deployments')).toEqual(writes);
    expect((await place.api.get(deployment, 'chosen')).metadata.uid).toBe(metadata.uid);
    const { status } = await place.api.get(foo, 'example');
    expect(status?.children).toMatchObject([{ name: 'chosen' }]);
    await rename(place, 'example', 'other');
    await place.converge();
    expect(await place.api.find(deployment, 'chosen')).toBeUndefined();
  },

  async 'F-3 replicas scaled by hand are reverted, those of the Foo are followed'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.scale(deployment, 'chosen', 5);
    await place.resync();
    expect(await replicasOf(place, 'chosen')).toBe(2);
    await setReplicas(place, 4);
    await place.resync();
    expect(await replicasOf(place, 'chosen')).toBe(4);
    await setReplicas(place, 1);
    await place.api.scale(deployment, 'chosen', 9);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(1);
  },

  async 'F-4 availableReplicas follow the Deployment without a change of the Foo'(place) {
    await place.api.create(foo, 'example', { spec: { deploymentName: 'chosen' } });
    await place.converge();
    const before = await place.api.get(foo, 'example');
    expect(before.status?.availableReplicas).toBe(1);
    await place.api.scale(deployment, 'chosen', 3);
    await eventually(async () => {
      await place.resync();
      expect((await place.api.get(foo, 'example')).status?.availableReplicas).toBe(3);
    });
    await place.api.scale(deployment, 'chosen', 0);
    await place.converge();
    const after = await place.api.get(foo, 'example');
    expect(after.status?.availableReplicas).toBe(0);
    expect(after.metadata.generation).toBe(before.metadata.generation);
  },

  async 'F-5 Synced is posted once per generation, not per run'(place) {
    const synced = { type: 'Normal', reason: 'Synced', message: 'Foo synced successfully' };
    await newFoo(place, 'example', 'chosen', 1);
    await place.converge();
    await place.resync();
    expect(await place.events('example')).toMatchObject([synced]);
    await place.api.scale(deployment, 'chosen', 3);
    await place.converge();
    expect(await place.events('example', 'Synced')).toHaveLength(1);
    await setReplicas(place, 2);
    await place.converge();
    await place.resync();
    expect(await place.events('example', 'Synced')).toMatchObject([synced, synced]);
  },

  async 'F-6 deploymentName changed from a to b: b exists, then a is deleted'(place) {
    await newFoo(place, 'example', 'a', 2);
    await place.converge();
    await rename(place, 'example', 'b');
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, deleted: 1 });
    const verbs = (await place.writes('deployments')).map(({ verb, name }) => `${verb} ${name}`);
    expect(verbs.slice(-2)).toEqual(['patch b', 'delete a']);
    await place.converge();
    const { status } = await place.api.get(foo, 'example');
    expect(status?.children).toMatchObject([{ name: 'b' }]);
    expect(await place.api.list(deployment)).toMatchObject([{ metadata: { name: 'b' } }]);
  },

  async 'F-6 a foreign object a stays when the Foo is renamed to b'(place) {
    await place.api.create(deployment, 'a', foreignDeployment());
    await newFoo(place, 'example', 'a');
    await place.resync();
    const { uid } = (await place.api.get(deployment, 'a')).metadata;
    await rename(place, 'example', 'b');
    await place.converge();
    const after = await place.api.get(deployment, 'a');
    expect(after.metadata.uid).toBe(uid);
    expect(after.metadata.deletionTimestamp).toBeUndefined();
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('True');
  },

  async 'F-6 after renaming back and forth at once, the Deployment is still the same'(place) {
    await newFoo(place, 'example', 'a');
    await place.converge();
    const { uid } = (await place.api.get(deployment, 'a')).metadata;
    await rename(place, 'example', 'b');
    await rename(place, 'example', 'a');
    await place.converge();
    expect((await place.api.get(deployment, 'a')).metadata.uid).toBe(uid);
    expect(await place.api.list(deployment)).toHaveLength(1);
  },

  async 'F-6 with edits during runs the last name wins and nothing leaks'(place) {
    await newFoo(place, 'example', 'a');
    const runs: Promise<unknown>[] = [];
    for (const name of ['b', 'a', 'c', 'b', 'd', 'a', 'e']) {
      runs.push(place.resync());
      await rename(place, 'example', name);
      runs.push(place.resync());
    }
    await Promise.all(runs);
    await place.converge();
    expect(await place.api.list(deployment)).toMatchObject([{ metadata: { name: 'e' } }]);
    const live = await place.api.get(foo, 'example');
    expect(live.status?.observedGeneration).toBe(live.metadata.generation);
    expect(live.status?.children).toMatchObject([{ name: 'e' }]);
  },

  async 'F-7 annotations, labels and containers of others survive a scale'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const theirs = {
      metadata: { labels: { team: 'blue' }, annotations: { note: 'keep' } },
      spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'sidecar:1' }] } } },
    };
    await place.api.patch(deployment, 'chosen', theirs, { as: 'strategic' });
    await setReplicas(place, 3);
    await place.converge();
    const live = await place.api.get(deployment, 'chosen');
    expect(live.metadata.labels).toMatchObject({ team: 'blue' });
    expect(live.metadata.annotations).toMatchObject({ note: 'keep' });
    expect(live.spec).toMatchObject({
      replicas: 3,
      template: {
        spec: {
          containers: expect.arrayContaining([
            expect.objectContaining({ name: 'sidecar', image: 'sidecar:1' }),
            expect.objectContaining({ name: 'nginx', image: 'nginx:latest' }),
          ]),
        },
      },
    });
  },
};
