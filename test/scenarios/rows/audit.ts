import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import { controllerOf } from '../api.ts';
import { configMap } from '../built-in-kinds.ts';
import { eventually } from '../eventually.ts';
import type { Place, Scenarios } from '../place.ts';
import {
  condition,
  foreignDeployment,
  foreignService,
  isReady,
  newFoo,
  newSite,
  rename,
  replicasOf,
  startedFoo,
} from '../resources.ts';
import { reconciler } from '../test-cluster.ts';

/** Deletes the Deployment of a Foo, and expects it to be recreated soon. */
async function expectBack(place: Place, how: 'Background' | 'Foreground'): Promise<void> {
  await startedFoo(place);
  const { uid } = (await place.api.get(deployment, 'chosen')).metadata;
  await place.api.remove(deployment, 'chosen', how);
  await eventually(async () => {
    const live = await place.api.find(deployment, 'chosen');
    expect(live?.metadata.uid ?? uid).not.toBe(uid);
  });
  await eventually(async () => expect(await isReady(place, foo, 'example')).toBe(true));
}

/** Effects of audit entries, without a resync. */
export const audited: Scenarios = {
  async 'audit: a new resource gets its children and becomes Ready'(place) {
    place.listen();
    await newSite(place);
    await eventually(async () => expect(await isReady(place, website, 'shop')).toBe(true));
    expect(await place.api.list(service)).toHaveLength(1);
  },

  async 'audit: a hand edit is repaired'(place) {
    await newSite(place);
    await place.converge();
    place.listen();
    const before = await place.api.get(service, 'shop');
    await place.api.patch(service, 'shop', { spec: { selector: { website: 'stolen' } } });
    await eventually(async () =>
      expect((await place.api.get(service, 'shop')).spec).toEqual(before.spec),
    );
  },

  async 'audit: an edit that was stored but returned an error is repaired'(place) {
    await startedFoo(place);
    const { status } = await place.stage.admin.send({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${place.namespace}/deployments/chosen`,
      query: { includeObject: 'unknown' },
      headers: {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        'content-type': 'application/merge-patch+json',
      },
      body: { spec: { replicas: 5 } },
    });
    expect(status).toBe(400);
    expect(await replicasOf(place, 'chosen')).toBe(5);
    await eventually(async () => expect(await replicasOf(place, 'chosen')).toBe(2));
  },

  async 'audit: the Event of a repair names the user, manager and time of the change'(place) {
    await startedFoo(place);
    await place.api.patch(deployment, 'chosen', { spec: { replicas: 5 } }, { manager: 'a-tool' });
    await eventually(async () => expect(await replicasOf(place, 'chosen')).toBe(2));
    await eventually(async () => expect(await place.events('example', 'Repaired')).toHaveLength(1));
    const [edited] = await place.events('example', 'Repaired');
    expect(edited?.message).toMatch(
      /^Deployment chosen: spec\.replicas 5 → 2, changed by \S+ with contract at \d\d:\d\d UTC \(audit log\)$/,
    );
  },

  async 'audit: the Event of a child created again names who deleted it'(place) {
    await startedFoo(place);
    await place.api.remove(deployment, 'chosen');
    await eventually(async () => {
      const messages = (await place.events('example', 'Repaired')).map(({ message }) => message);
      expect(messages.join()).toMatch(
        /was deleted by \S+ with contract at \d\d:\d\d UTC \(audit log\), created again/,
      );
    });
  },

  async 'audit: a change through the scale subresource is repaired'(place) {
    await startedFoo(place);
    await place.api.scale(deployment, 'chosen', 5);
    await eventually(async () => expect(await replicasOf(place, 'chosen')).toBe(2));
  },

  async 'audit: a deleted child comes back'(place) {
    await expectBack(place, 'Background');
  },

  async 'audit: a child comes back after a foreground deletion'(place) {
    await expectBack(place, 'Foreground');
  },

  async 'law 12 audit: a child deleted again at once is recreated at the resync'(place) {
    await expectBack(place, 'Background');
    await eventually(async () => expect(await place.events('example', 'Repaired')).toHaveLength(1));
    const writes = (await place.writes('deployments')).length;
    await place.api.remove(deployment, 'chosen');
    await eventually(async () => {
      const reconciling = condition(await place.api.get(foo, 'example'), 'Reconciling');
      expect(reconciling?.message).toMatch(/^Deployment chosen is deleted again and again; /);
    });
    await place.caughtUp();
    expect(await place.writes('deployments')).toHaveLength(writes);
    expect((await place.resync()).outcomes).toMatchObject({ created: 1 });
    expect(await place.events('example', 'Repaired')).toHaveLength(2);
  },

  async 'audit: children deleted as a collection come back'(place) {
    await startedFoo(place);
    const { uid } = (await place.api.get(deployment, 'chosen')).metadata;
    await place.api.removeAll(deployment);
    await eventually(async () => {
      const live = await place.api.find(deployment, 'chosen');
      expect(live?.metadata.uid ?? uid).not.toBe(uid);
    });
  },

  async 'audit: a changed resource is followed until it is Ready again'(place) {
    await startedFoo(place);
    await place.api.patch(foo, 'example', { spec: { replicas: 4 } });
    await eventually(async () => {
      expect(await replicasOf(place, 'chosen')).toBe(4);
      expect(await isReady(place, foo, 'example')).toBe(true);
      expect((await place.api.get(foo, 'example')).status?.availableReplicas).toBe(4);
    });
  },

  async 'audit: a renamed child is created, the old one deleted'(place) {
    await startedFoo(place);
    await rename(place, 'example', 'other');
    await eventually(async () => {
      expect(await place.api.list(deployment)).toMatchObject([{ metadata: { name: 'other' } }]);
      expect(await isReady(place, foo, 'example')).toBe(true);
    });
  },

  async 'audit: deleting a foreign object unblocks the resource that waited for its name'(place) {
    await place.api.create(service, 'shop', foreignService());
    await newSite(place);
    await place.api.create(deployment, 'chosen', foreignDeployment());
    await newFoo(place, 'example', 'chosen');
    await place.resync();
    place.listen();
    await place.api.remove(service, 'shop');
    await place.api.remove(deployment, 'chosen');
    await eventually(async () => {
      expect(await isReady(place, foo, 'example')).toBe(true);
      expect(await isReady(place, website, 'shop')).toBe(true);
    });
  },

  async 'audit: our own writes cause no further run'(place) {
    place.listen();
    await newFoo(place, 'example', 'chosen');
    await newSite(place);
    await eventually(async () => {
      expect(await isReady(place, foo, 'example')).toBe(true);
      expect(await isReady(place, website, 'shop')).toBe(true);
    });
    await place.caughtUp();
    const own = await place.writes();
    expect(own.map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(['deployments', 'services', 'foos/status', 'websites/status']),
    );
    expect(place.runs().flatMap(({ reconcileRequests }) => reconcileRequests)).toEqual(
      expect.arrayContaining([
        { kind: 'foos.example.com', namespace: place.namespace, name: 'example' },
        { kind: 'websites.kubecon.my.domain', namespace: place.namespace, name: 'shop' },
      ]),
    );
    expect(place.runs()).toHaveLength(2);
  },

  async 'audit: a status or a label written by others causes no write of ours'(place) {
    await startedFoo(place);
    const writes = await place.writes();
    await place.api.patch(foo, 'example', { metadata: { labels: { team: 'blue' } } });
    await eventually(() => expect(place.runs()).toHaveLength(1));
    expect(await place.writes()).toEqual(writes);
  },

  async 'F-9 a foreign Deployment, or one of another kind, causes no run'(place) {
    await startedFoo(place);
    const owner = await place.api.create(configMap, 'owner', {});
    await place.api.create(deployment, 'nobody', foreignDeployment());
    const owned = foreignDeployment({ ownerReferences: [controllerOf(owner)] });
    await place.api.create(deployment, 'owned', owned);
    for (const name of ['nobody', 'owned']) {
      await place.api.scale(deployment, name, 1);
      await place.api.patch(deployment, name, { metadata: { labels: { team: 'blue' } } });
    }
    await place.api.remove(deployment, 'nobody');
    await place.caughtUp();
    expect(place.runs()).toEqual([]);
    expect(await place.api.find(deployment, 'owned')).toBeDefined();
  },

  async 'audit: a request message and an audit batch from a kube-apiserver are processed'(place) {
    const { functions } = place.stage;
    await newFoo(place, 'example', 'chosen', 2);
    const { namespace } = place;
    const request = { kind: 'Foo', namespace, name: 'example' };
    const response = await functions.post('audit', { version: 1, request });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ reconcileRequests: [request], dropped: {} });
    expect(await isReady(place, foo, 'example')).toBe(true);
    await place.api.scale(deployment, 'chosen', 5);
    const child = {
      resource: 'deployments',
      namespace,
      name: 'chosen',
      apiGroup: 'apps',
      apiVersion: 'v1',
    };
    const event = {
      level: 'Metadata',
      stage: 'ResponseComplete',
      verb: 'patch',
      requestURI: `/apis/apps/v1/namespaces/${namespace}/deployments/chosen/scale`,
      user: { username: 'alice' },
      objectRef: { ...child, subresource: 'scale' },
      responseStatus: { code: 200 },
    };
    const read = { ...event, verb: 'get' };
    const own = { ...event, user: { username: reconciler }, objectRef: child };
    const batch = {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'EventList',
      items: [event, read, own, event],
    };
    const second = await functions.post('audit', batch);
    expect(second.body).toMatchObject({
      reconcileRequests: [{ kind: 'foos.example.com', namespace, name: 'example' }],
      dropped: { 'not a write': 1, 'own write': 1 },
    });
    expect(await replicasOf(place, 'chosen')).toBe(2);
  },
};
