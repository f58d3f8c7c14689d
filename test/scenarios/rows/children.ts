import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { foo } from '../../../systems/foo.ts';
import { controllerOf } from '../api.ts';
import type { Scenarios } from '../place.ts';
import { condition, foreignDeployment, newFoo, newSite, rename } from '../resources.ts';

/** C-1, C-2, C-4 and C-5: children are created, kept and deleted. */
export const children: Scenarios = {
  async 'C-1 a new Website gets its children, labelled and owned by it'(place) {
    const { metadata, spec } = await newSite(place);
    const { outcomes } = await place.resync();
    expect(outcomes.created).toBe(2);
    const owner = {
      apiVersion: 'kubecon.my.domain/v1beta1',
      kind: 'Website',
      name: 'shop',
      uid: metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const labels = {
      'app.kubernetes.io/managed-by': 'serverless-reconciler',
      'app.kubernetes.io/instance': 'shop',
      'app.kubernetes.io/part-of': 'website',
      website: 'shop',
      type: 'Website',
    };
    const selector = { website: 'shop', type: 'Website' };
    for (const type of [deployment, service]) {
      const child = await place.api.get(type, 'shop');
      expect(child.metadata.ownerReferences).toEqual([owner]);
      expect(child.metadata.labels).toEqual(labels);
    }
    expect((await place.api.get(deployment, 'shop')).spec).toMatchObject({
      replicas: 2,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: selector },
        spec: {
          containers: [
            {
              name: 'nginx',
              image: 'abangser/todo-local-storage:v1',
              ports: [{ containerPort: 80 }],
            },
          ],
        },
      },
    });
    expect((await place.api.get(service, 'shop')).spec).toMatchObject({
      type: 'NodePort',
      selector,
      ports: [{ port: 80, protocol: 'TCP', nodePort: spec?.nodePort }],
    });
  },

  async 'C-1 a new Foo gets its Deployment under the name in its spec'(place) {
    const { metadata } = await newFoo(place, 'example', 'chosen', 3);
    await place.resync();
    const child = await place.api.get(deployment, 'chosen');
    expect(child.metadata.ownerReferences).toMatchObject([
      { kind: 'Foo', name: 'example', uid: metadata.uid, controller: true },
    ]);
    expect(child.metadata.labels).toEqual({
      'app.kubernetes.io/managed-by': 'serverless-reconciler',
      'app.kubernetes.io/instance': 'example',
      'app.kubernetes.io/part-of': 'foo',
    });
    const labels = { app: 'nginx', controller: 'example' };
    expect(child.spec).toMatchObject({
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
      },
    });
  },

  async 'C-2 without changes nothing is written in any number of runs'(place) {
    await newSite(place);
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const versions = await place.versions();
    const writes = await place.writes();
    const events = await place.events('shop');
    for (let run = 0; run < 3; run++) {
      const { resources, outcomes, statusWrites } = await place.resync();
      expect(resources).toEqual({ total: 2, unchanged: 2, reconciled: 0 });
      expect(Object.values(outcomes)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(statusWrites).toBe(0);
    }
    expect(await place.versions()).toEqual(versions);
    expect(await place.writes()).toEqual(writes);
    expect(await place.events('shop')).toEqual(events);
  },

  async 'C-4 a child deleted by hand comes back'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(deployment, 'shop');
    await place.api.remove(deployment, 'shop');
    expect((await place.resync()).outcomes.created).toBe(1);
    const after = await place.api.get(deployment, 'shop');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec).toEqual(before.spec);
    expect(await place.events('shop', 'Repaired')).toMatchObject([
      { message: 'Deployment shop: was gone, created again' },
    ]);
  },

  async 'C-5 a child no longer desired is deleted, even if it lost its labels'(place) {
    await newFoo(place, 'plain', 'a');
    await newFoo(place, 'stripped', 'c');
    await place.converge();
    const labels = {
      'app.kubernetes.io/managed-by': null,
      'app.kubernetes.io/instance': null,
      'app.kubernetes.io/part-of': null,
    };
    await place.api.patch(deployment, 'c', { metadata: { labels } });
    await rename(place, 'plain', 'b');
    await rename(place, 'stripped', 'd');
    const { outcomes } = await place.resync();
    expect(outcomes).toMatchObject({ created: 2, deleted: 2 });
    const left = await place.api.list(deployment);
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['b', 'd']);
    await place.converge();
  },

  async 'C-5 nothing is deleted before all desired children are in place'(place) {
    await newFoo(place, 'example', 'a');
    await place.converge();
    await place.api.create(deployment, 'b', foreignDeployment());
    await rename(place, 'example', 'b');
    expect((await place.resync()).outcomes).toMatchObject({ deleted: 0, blocked: 1, skipped: 1 });
    const { status } = await place.api.get(foo, 'example');
    expect(status?.children).toMatchObject([{ kind: 'Deployment', name: 'a' }]);
    await place.api.remove(deployment, 'b');
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, deleted: 1 });
    expect(await place.api.find(deployment, 'a')).toBeUndefined();
    await place.converge();
  },

  async 'C-5 an unwanted child that is no longer ours stays'(place) {
    await newFoo(place, 'example', 'a');
    await place.converge();
    await place.api.patch(deployment, 'a', { metadata: { ownerReferences: null } });
    const { metadata } = await place.api.get(deployment, 'a');
    await rename(place, 'example', 'b');
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, deleted: 0 });
    await place.converge();
    expect((await place.api.get(deployment, 'a')).metadata.uid).toBe(metadata.uid);
    const { status } = await place.api.get(foo, 'example');
    expect(status?.children).toMatchObject([{ name: 'b' }]);
  },

  async 'C-5 an object of ours that was never desired is deleted unless PRUNE_LIMIT forbids it'(
    place,
  ) {
    const owner = await newFoo(place, 'example', 'chosen');
    await place.converge();
    const labels = (await place.api.get(deployment, 'chosen')).metadata.labels ?? {};
    const stray = foreignDeployment({ labels, ownerReferences: [controllerOf(owner)] });
    await place.api.create(deployment, 'stray', stray);
    const { functions } = place.stage;
    const { namespace } = place;
    const careful = await functions.another('resync', { PRUNE_LIMIT: '0', SETTLE_SECONDS: '0' });
    try {
      const { pruning, outcomes } = await functions.resync({ namespace }, careful.url);
      expect(outcomes).toMatchObject({ deleted: 0, skipped: 1 });
      expect(pruning).toMatch(/^1 of 1 resources would delete children .* PRUNE_LIMIT/);
    } finally {
      await careful.stop();
    }
    expect(condition(await place.api.get(foo, 'example'), 'Reconciling')?.reason).toBe(
      'PruningPending',
    );
    expect((await place.resync()).outcomes).toMatchObject({ deleted: 1 });
    await place.converge();
    expect(await place.api.list(deployment)).toHaveLength(1);
  },
};
