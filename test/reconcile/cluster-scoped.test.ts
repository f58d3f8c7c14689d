import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reconciler } from '../../shared/controller/reconciler.ts';
import { resyncOrFanOut } from '../../shared/controller/scheduled-resync.ts';
import { configMap, namespace, resourceQuota } from '../../shared/kinds/child-types/core.ts';
import { clusterRole } from '../../shared/kinds/child-types/small-groups.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { openTestEnvironment } from '../../testing/open-test-environment.ts';
import type { TestEnvironment } from '../../testing/test-environment.ts';
import type { LiveObject } from '../../testing/user.ts';
import { nested } from '../properties/hostile-objects.ts';
import { team } from '../support/team.ts';

let env: TestEnvironment;
let reconciler: Reconciler;
beforeEach(async () => {
  ({ env, reconciler } = await openTestEnvironment(
    { kinds: [team, foo] },
    { environment: { PRUNE_LIMIT: '2' } },
  ));
  for (const name of ['a', 'b']) await addNamespace(name);
});
afterEach(() => env.close());

const addNamespace = (name: string): Promise<LiveObject> =>
  env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const applyTeam = (spec: JsonObject): Promise<LiveObject> => env.apply(team, { name: 'red', spec });

const cardIn = (place: string) => env.get(configMap, 'team-red', { namespace: place });

const readyOf = async () => {
  const { Ready: ready } = await env.conditions(team, 'red');
  return `${ready?.status} ${ready?.reason}: ${ready?.message}`;
};

const writesOf = (): readonly string[] =>
  env
    .requests()
    .filter(({ isWrite, status }) => isWrite && status < 300)
    .map(({ verb, resource, namespace: place, name }) => `${verb} ${resource} ${place}/${name}`);

/** Builds an object with the labels and owner reference of a child of the Team `red`. */
async function forge(name: string, place: string, more: JsonObject = {}): Promise<void> {
  const real = await cardIn('a');
  const { labels, ownerReferences } = real?.metadata ?? {};
  await env.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: place, labels, ownerReferences, ...more } as never,
    data: { team: 'theirs' },
  });
}

describe('children of a cluster-scoped resource in several namespaces', () => {
  it('are created one for each namespace, and are listed in the status with their namespaces', async () => {
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    expect(await cardIn('a')).toMatchObject({ data: { team: 'red' } });
    expect(await cardIn('b')).toMatchObject({ data: { team: 'red' } });
    const { status } = (await env.get(team, 'red')) ?? {};
    expect(status?.children).toEqual([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'team-red' },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'team-red', namespace: 'a' },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'team-red', namespace: 'b' },
    ]);
    expect(await readyOf()).toMatch(/^True Ready/);
    env.requests();
    await env.resync();
    expect(writesOf()).toEqual([]);
  });

  it('are repaired, recreated and pruned in their namespaces', async () => {
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    await env.patch(configMap, 'team-red', { namespace: 'b', body: { data: { team: 'x' } } });
    await env.resync();
    expect(await cardIn('b')).toMatchObject({ data: { team: 'red' } });
    await env.delete(configMap, 'team-red', { namespace: 'a' });
    await env.resync();
    expect(await cardIn('a')).toBeDefined();
    await applyTeam({ guestIn: ['b'] });
    await env.resync();
    expect(await cardIn('a')).toBeUndefined();
    expect(await cardIn('b')).toBeDefined();
    const events = await env.events(team, 'red');
    expect(events.map(({ message }) => message)).toEqual([
      expect.stringContaining('ConfigMap b/team-red: data.team "x" → "red"'),
      'ConfigMap a/team-red: was gone, created again',
    ]);
    const [event] = events;
    expect(event?.metadata.namespace).toBe('default');
    expect(event).toHaveProperty('involvedObject.name', 'red');
    expect(event).not.toHaveProperty('involvedObject.namespace');
  });

  it('are found through the status and pruned if they lost their labels', async () => {
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    const labels = [{ op: 'remove', path: '/metadata/labels' }];
    await env.patch(configMap, 'team-red', { namespace: 'a', body: labels, as: 'json' });
    await applyTeam({ guestIn: ['b'] });
    await env.resync();
    expect(await cardIn('a')).toBeUndefined();
  });

  it('lead from an audit event to their owner, or to the resource that desires their name', async () => {
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    await env.patch(configMap, 'team-red', { namespace: 'b', body: { data: { team: 'x' } } });
    const changed = await env.deliver();
    expect(changed.reconcileRequests).toEqual([{ kind: 'teams.example.org', name: 'red' }]);
    expect(await cardIn('b')).toMatchObject({ data: { team: 'red' } });
    await env.delete(configMap, 'team-red', { namespace: 'a' });
    await env.delete(clusterRole, 'team-red');
    const deleted = await env.deliver();
    expect(deleted.reconcileRequests).toEqual([{ kind: 'teams.example.org', name: 'red' }]);
    expect(await cardIn('a')).toBeDefined();
    expect(await env.get(clusterRole, 'team-red')).toBeDefined();
    await applyTeam({ guestIn: ['a'] });
    const edited = await env.deliver();
    expect(edited.reconcileRequests).toEqual([{ kind: 'teams.example.org', name: 'red' }]);
    expect(await cardIn('b')).toBeUndefined();
  });

  it('are foreign only in a namespace in which another owner has an object of that name', async () => {
    await env.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'team-red', namespace: 'b' },
      data: { team: 'theirs' },
    });
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    expect(await cardIn('a')).toMatchObject({ data: { team: 'red' } });
    expect(await cardIn('b')).toMatchObject({ data: { team: 'theirs' } });
    expect(await readyOf()).toBe(
      'False ErrResourceExists: Resource "b/team-red" already exists and is not managed by Team; it is a ConfigMap',
    );
  });

  it('are foreign to another resource, whose condition names the owner', async () => {
    await applyTeam({ namespaces: ['c'] });
    await env.resync();
    await env.apply(team, { name: 'blue', spec: { namespaces: ['c'] } });
    await env.resync();
    const { Ready: ready } = await env.conditions(team, 'blue');
    expect(ready?.message).toContain(
      'Resource "c" already exists and is not managed by Team; it is a Namespace, labelled app.kubernetes.io/instance=red;',
    );
  });

  it('that are not deleted yet are named by the condition of a Stalled owner', async () => {
    await applyTeam({ guestIn: ['a'] });
    await env.resync();
    await env.delete(clusterRole, 'team-red');
    await env.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'team-red' },
      rules: [],
    });
    await applyTeam({ guestIn: [] });
    await env.resync();
    expect(await readyOf()).toBe(
      'False ErrResourceExists: Resource "team-red" already exists and is not managed by Team; it is a ClusterRole; ConfigMap a/team-red is no longer desired, but not deleted yet',
    );
  });

  it('are deleted with their owner', async () => {
    await applyTeam({ namespaces: ['c'], guestIn: ['a'] });
    await env.resync();
    await env.delete(team, 'red');
    expect(await cardIn('a')).toBeUndefined();
    expect(await env.get(namespace, 'c')).toBeUndefined();
    expect(await env.get(clusterRole, 'team-red')).toBeUndefined();
  });
});

describe('a namespace with children of a cluster-scoped resource', () => {
  it('that does not exist yet is waited for', async () => {
    await applyTeam({ guestIn: ['a', 'later'] });
    await env.resync();
    expect(await cardIn('a')).toBeDefined();
    expect(await readyOf()).toMatch(/^False NamespaceNotFound: .*namespaces "later" not found/);
    expect(await env.conditions(team, 'red')).not.toHaveProperty('Stalled');
    await addNamespace('later');
    await env.resync();
    expect(await readyOf()).toMatch(/^True/);
  });

  it('that is being deleted is waited for, and then reported as missing', async () => {
    await forgeHolder('b');
    await env.delete(namespace, 'b');
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    expect(await readyOf()).toMatch(/^False NamespaceTerminating: .*is being terminated/);
    expect(await env.conditions(team, 'red')).not.toHaveProperty('Stalled');
    await env.patch(configMap, 'holder', { namespace: 'b', body: unheld });
    await env.cluster.controllers.settled();
    await env.resync();
    expect(await readyOf()).toMatch(/^False NamespaceNotFound/);
  });

  it('that is a child itself is created before the children in it, and both are recreated', async () => {
    await applyTeam({ namespaces: ['c'] });
    await env.resync();
    expect(await readyOf()).toMatch(/^True/);
    await forgeHolder('c');
    await env.delete(namespace, 'c');
    await env.resync();
    expect(await readyOf()).toMatch(
      /^False ChildDeleting: Namespace c is being deleted; ResourceQuota c\/team-red was deleted, and waits for Namespace c/,
    );
    await env.patch(configMap, 'holder', { namespace: 'c', body: unheld });
    await env.cluster.controllers.settled();
    await env.resync();
    expect(await env.get(resourceQuota, 'team-red', { namespace: 'c' })).toBeDefined();
    expect(await readyOf()).toMatch(/^True/);
  });

  it('that is no longer desired is kept, and the children in it are deleted', async () => {
    await applyTeam({ namespaces: ['c', 'd'] });
    await env.resync();
    await applyTeam({ namespaces: ['d'] });
    await env.resync();
    expect(await env.get(namespace, 'c')).toBeDefined();
    expect(await env.get(resourceQuota, 'team-red', { namespace: 'c' })).toBeUndefined();
    expect(await readyOf()).toBe(
      'False Retained: Namespace c is no longer desired, but is kept, because its deletion would delete other objects, too: delete it by hand, or remove its owner reference if it should stay',
    );
    env.requests();
    await env.resync();
    expect(writesOf()).toEqual([]);
    const owner = [{ op: 'remove', path: '/metadata/ownerReferences' }];
    await env.patch(namespace, 'c', { body: owner, as: 'json' });
    await env.resync();
    expect(await readyOf()).toMatch(/^True/);
    expect(await env.get(namespace, 'c')).toBeDefined();
  });

  it('of another owner is not taken over, and the children in it wait', async () => {
    await applyTeam({ namespaces: ['a'] });
    await env.resync();
    expect(await readyOf()).toMatch(/^False ErrResourceExists: Resource "a" already exists/);
    expect(await cardIn('a')).toBeUndefined();
  });
});

const unheld = { metadata: { finalizers: null } };

/** Creates an object that keeps a namespace from being deleted. */
const forgeHolder = (place: string): Promise<LiveObject> =>
  env.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'holder', namespace: place, finalizers: ['example.org/hold'] } as never,
  });

function makeUnreadable(name: string, place: string): Promise<LiveObject> {
  const entry = { apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: nested(500) };
  const managedFields = [
    { manager: 'before-first-apply', operation: 'Update', ...entry },
    { manager: 'serverless-reconciler', operation: 'Apply', ...entry },
  ];
  return env.patch(configMap, name, { namespace: place, body: { metadata: { managedFields } } });
}

describe('a user with permissions in one namespace', () => {
  it('can forge a child there, which is pruned like any other', async () => {
    await applyTeam({ guestIn: ['a'] });
    await env.resync();
    await forge('forged', 'b');
    await env.resync();
    expect(await env.get(configMap, 'forged', { namespace: 'b' })).toBeUndefined();
    expect(await readyOf()).toMatch(/^True/);
  });

  it('can make children unreadable only there', async () => {
    await applyTeam({ guestIn: ['a', 'b', 'default'] });
    await env.resync();
    await forge('forged', 'b');
    for (const name of ['team-red', 'forged']) await makeUnreadable(name, 'b');
    await env.patch(configMap, 'team-red', { namespace: 'a', body: { data: { team: 'x' } } });
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    expect(await cardIn('a')).toMatchObject({ data: { team: 'red' } });
    expect(await env.get(configMap, 'team-red')).toBeUndefined();
    expect(await env.get(configMap, 'forged', { namespace: 'b' })).toBeDefined();
    expect(await readyOf()).toMatch(/^False UnreadableChild: ConfigMap b\/team-red cannot be read/);
  });

  it('can delay neither repairs nor deletions in another namespace', async () => {
    await applyTeam({ guestIn: ['a', 'b', 'default'] });
    await env.resync();
    await forge('held', 'b', { finalizers: ['example.org/hold'] });
    await env.delete(configMap, 'team-red', { namespace: 'b' });
    await env.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'team-red', namespace: 'b' },
      data: {},
    });
    await env.patch(configMap, 'team-red', { namespace: 'a', body: { data: { team: 'x' } } });
    await applyTeam({ guestIn: ['a', 'b'] });
    await env.resync();
    expect(await cardIn('a')).toMatchObject({ data: { team: 'red' } });
    expect(await env.get(configMap, 'team-red')).toBeUndefined();
    expect(await readyOf()).toMatch(/ErrResourceExists: Resource "b\/team-red" already exists/);
  });
});

describe('a reconcile request', () => {
  it('selects a cluster-scoped resource by its name without a namespace', async () => {
    await applyTeam({ guestIn: ['a'] });
    expect(await env.resync({ kind: 'Team', name: 'red' })).toMatchObject({
      resources: { total: 1, reconciled: 1 },
    });
  });

  it.each([
    [{ kind: 'Team', namespace: 'a' }, 'Team is cluster-scoped: omit namespace'],
    [{ kind: 'Foo', name: 'x' }, 'Foo is namespaced: name requires a namespace'],
  ])('%j selects nothing', async (request, message) => {
    await expect(env.resync(request)).rejects.toThrow(message);
  });
});

describe('a resync that is fanned out', () => {
  it('publishes a request for the kind, but reconciles a named resource itself', async () => {
    await applyTeam({ guestIn: ['a'] });
    await env.apply(foo, { name: 'shop', namespace: 'b', spec: { deploymentName: 'shop' } });
    const published: object[] = [];
    const publish = async (messages: readonly object[]) => void published.push(...messages);
    const config = { ...reconciler.config, platform: { ...reconciler.config.platform, publish } };
    const sharing = { ...reconciler, config };
    expect(await resyncOrFanOut(sharing, {})).toEqual({
      reconcileRequests: [{ kind: 'teams.example.org' }, { namespace: 'b' }],
      resources: 2,
      incomplete: [],
    });
    expect(published).toEqual([
      { version: 1, request: { kind: 'teams.example.org' } },
      { version: 1, request: { namespace: 'b' } },
    ]);
    await resyncOrFanOut(sharing, { kind: 'Team', name: 'red' });
    expect(await cardIn('a')).toBeDefined();
    expect(published).toHaveLength(2);
  });
});

describe('unrequested deletions of a cluster-scoped resource', () => {
  it('are withheld only in a namespace that has too many of them', async () => {
    const teams = ['red', 'blue', 'green'];
    for (const name of teams) await env.apply(team, { name, spec: { guestIn: ['a'] } });
    await env.resync();
    for (const name of teams) {
      const { labels, ownerReferences } =
        (await env.get(configMap, `team-${name}`, inA))?.metadata ?? {};
      const metadata = { labels, ownerReferences } as JsonObject;
      for (const place of name === 'red' ? ['a', 'b'] : ['b'])
        await env.apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { ...metadata, name: `old-${name}`, namespace: place } as never,
        });
    }
    const { pruning } = await env.resync();
    expect(pruning).toMatch(
      /^3 of 3 resources would delete children in namespace b although these resources were not edited; another namespace with such deletions counts as one more resource, so the total is 4/,
    );
    expect(await env.get(configMap, 'old-red', inA)).toBeUndefined();
    for (const name of teams)
      expect(await env.get(configMap, `old-${name}`, { namespace: 'b' })).toBeDefined();
  });
});

const inA = { namespace: 'a' };
