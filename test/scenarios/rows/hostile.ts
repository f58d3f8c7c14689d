import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import { label } from '../../../shared/kinds/names.ts';
import type {
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
  ResourceType,
} from '../../../shared/kubernetes.ts';
import { database } from '../../../systems/database.ts';
import { foo } from '../../../systems/foo.ts';
import { controllerOf } from '../api.ts';
import { newDatabase } from '../databases.ts';
import type { Place, Scenarios } from '../place.ts';
import {
  condition,
  foreignDeployment,
  foreignService,
  hold,
  letGo,
  newFoo,
  replicasOf,
  startedFoo,
} from '../resources.ts';

const labels = { [label.managedBy]: 'serverless-reconciler', [label.partOf]: 'foo' };

/** Placeholder for nested fields in a text, because the value is too deep for JSON.stringify. */
const deep = { deep: {} };

/**
 * Adds entries with nested fields to the managedFields of an object, as deep as the cluster stores them:
 * a kube-apiserver allows 10,000 levels in the whole object.
 */
async function setDeepManagers(place: Place, type: ResourceType, name: string): Promise<void> {
  const entries = [
    entry('before-first-apply', 'Update', deep),
    entry('serverless-reconciler', 'Apply', deep),
  ];
  const operation = { op: 'replace', path: '/metadata/managedFields', value: entries };
  for (const levels of [9_000, 6_000, 3_000, 500]) {
    const fields = `${'{"f:a":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const text = JSON.stringify([operation]).replaceAll(JSON.stringify(deep), fields);
    const isStored = await place.api.patch(type, name, text, { as: 'json' }).then(
      () => true,
      () => false,
    );
    if (isStored) return;
  }
  throw new Error('the cluster stores no deeply nested fields');
}

const entry = (manager: string, operation: string, fieldsV1: JsonObject): JsonObject => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
});

const setManagers = (place: Place, name: string, value: readonly ManagedFieldsEntry[]) =>
  place.api.patch(deployment, name, [{ op: 'replace', path: '/metadata/managedFields', value }], {
    as: 'json',
  });

const isOurs = ({ manager, operation }: { manager?: string; operation: string }): boolean =>
  manager === 'serverless-reconciler' && operation === 'Apply';

const managersOf = ({ metadata }: KubeObject) => metadata.managedFields ?? [];

/** Isolation: an object with any author and content affects at most the resource that it belongs to. */
export const hostile: Scenarios = {
  async 'C-6 an object in another namespace that claims our resource as its controller is not its child'(
    place,
  ) {
    const owner = await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const elsewhere = await place.another();
    const { finalizers } = hold.metadata;
    const claim = { labels, finalizers, ownerReferences: [controllerOf(owner)] };
    for (const name of ['chosen', 'unwanted'])
      await elsewhere.api.create(deployment, name, foreignDeployment(claim));
    const { functions } = place.stage;
    const both = await functions.another('resync', {
      KINDS: 'foos.example.com',
      NAMESPACES: `${elsewhere.namespace},${place.namespace}`,
      SETTLE_SECONDS: '0',
    });
    try {
      await place.api.scale(deployment, 'chosen', 7);
      const { outcomes } = await functions.resync({}, both.url);
      expect(outcomes).toMatchObject({ updated: 1, skipped: 0, deleted: 0 });
      expect(await replicasOf(place, 'chosen')).toBe(2);
      await place.api.remove(deployment, 'chosen');
      await place.gone(deployment, 'chosen');
      expect((await functions.resync({}, both.url)).outcomes).toMatchObject({ created: 1 });
      expect(await elsewhere.writes()).toEqual([]);
    } finally {
      await both.stop();
      for (const name of ['chosen', 'unwanted'])
        await elsewhere.api.patch(deployment, name, letGo).catch(() => undefined);
    }
    await place.converge();
    expect((await place.api.get(foo, 'example')).status?.children).toHaveLength(1);
  },

  async 'C-11 foreign objects with our labels and huge managedFields do not stop a resync'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.api.create(secret, 'deep', { metadata: { labels } });
    await place.api.create(deployment, 'deep', foreignDeployment({ labels }));
    for (const type of [secret, deployment]) await setDeepManagers(place, type, 'deep');
    const { failures, incomplete } = await place.resync();
    expect({ failures, incomplete }).toEqual({ failures: [], incomplete: [] });
    await place.converge();
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('True');
  },

  async 'C-11 an unreadable child affects only its own resource, and is left unchanged'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await newFoo(place, 'beside', 'other', 1);
    await place.converge();
    const before = managersOf(await place.api.get(deployment, 'chosen'));
    await setDeepManagers(place, deployment, 'chosen');
    await place.api.scale(deployment, 'chosen', 7);
    await place.api.scale(deployment, 'other', 7);
    const writes = await place.writes('deployments');
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1, blocked: 1, failed: 0 });
    expect(await replicasOf(place, 'other')).toBe(1);
    const stalled = condition(await place.api.get(foo, 'example'), 'Stalled');
    expect(stalled).toMatchObject({ status: 'True', reason: 'UnreadableChild' });
    expect(stalled?.message).toContain('Deployment chosen cannot be read');
    await place.api.patch(foo, 'example', { spec: { deploymentName: 'elsewhere' } });
    await place.resync();
    const written = (await place.writes('deployments')).slice(writes.length);
    expect(written.map(({ name }) => name)).toEqual(['other', 'elsewhere']);
    await setManagers(place, 'chosen', before);
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBeUndefined();
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('True');
  },

  async 'C-5 foreign entries of status.children are read if possible, and removed within one resync'(
    place,
  ) {
    await startedFoo(place);
    const { status } = await place.api.get(foo, 'example');
    const ref = (kind: string, name: string, apiVersion = 'apps/v1') => ({
      apiVersion,
      kind,
      name,
    });
    const names = ['..', '.', 'A B%', 'chosen/status', 'chosen%2Fstatus', 'none', 'none', 'NONE'];
    const children = [
      ...names.map((name) => ref('Deployment', name)),
      ref('Secret', 'sh.helm', 'v1'),
      ref('Job', 'x', 'batch/v1'),
      ...Array.from({ length: 200 }, (_, at) => ref('Secret', `s-${at}`, 'v1')),
    ];
    await place.api.patch(foo, 'example', { status: { children } }, { subresource: 'status' });
    const { failures, requests, statusWrites } = await place.resync();
    expect(failures).toEqual([]);
    expect(statusWrites).toBe(1);
    expect(requests['deployments.apps']?.requests).toBeLessThan(6);
    const after = await place.api.get(foo, 'example');
    expect(after.status?.children).toEqual(status?.children);
    expect(condition(after, 'Ready')?.status).toBe('True');
    expect((await place.resync()).statusWrites).toBe(0);
  },

  async 'C-8 a foreign value in a field of our status is removed, once'(place) {
    // The foreign Service keeps the Database from becoming Ready, so it has no endpoint.
    await place.api.create(service, 'shop', foreignService());
    await newDatabase(place, { pods: 0 });
    await place.resync();
    await place.resync();
    const theirs = { endpoint: 'evil.example.com:5432' };
    await place.api.patch(database, 'shop', { status: theirs }, { subresource: 'status' });
    await place.resync();
    expect((await place.api.get(database, 'shop')).status?.endpoint).toBeUndefined();
    await place.converge();
    expect((await place.resync()).statusWrites).toBe(0);
  },

  async 'D-6 an immutable field with the desired value is taken over again when our entry is gone'(
    place,
  ) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const theirs = { spec: { revisionHistoryLimit: 3 } };
    const live = await place.api.patch(deployment, 'chosen', theirs);
    const others = managersOf(live).filter((one) => !isOurs(one));
    await setManagers(place, 'chosen', others);
    const { outcomes, failures } = await place.resync();
    expect(failures).toEqual([]);
    expect(outcomes).toMatchObject({ updated: 1, blocked: 0 });
    expect(managersOf(await place.api.get(deployment, 'chosen')).some(isOurs)).toBe(true);
    await place.api.patch(foo, 'example', { spec: { replicas: 3 } });
    await place.converge();
    expect(await replicasOf(place, 'chosen')).toBe(3);
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('True');
  },

  async "C-10 a name that is not a path segment reaches no other object, and is reported in the server's words"(
    place,
  ) {
    await place.api.create(deployment, 'payments', foreignDeployment());
    await newFoo(place, 'example', 'payments/status');
    await newFoo(place, 'dots', '..');
    const { failures } = await place.resync();
    expect(failures.map(({ reason }) => reason)).toEqual(['Invalid', 'Invalid']);
    const stalled = condition(await place.api.get(foo, 'example'), 'Stalled');
    expect(stalled).toMatchObject({ status: 'True', reason: 'Invalid' });
    expect(stalled?.message).toContain(
      `Deployment.apps "payments/status" is invalid: metadata.name: Invalid value: "payments/status": may not contain '/'`,
    );
    expect(await place.refusals('deployments/status')).toEqual([]);
    expect(await place.refusals('deployments')).toEqual([]);
    const managers = managersOf(await place.api.get(deployment, 'payments'));
    expect(managers.map(({ manager }) => manager)).not.toContain('serverless-reconciler');
  },
};
