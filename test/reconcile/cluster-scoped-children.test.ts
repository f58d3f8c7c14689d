import { afterAll, beforeAll, expect, it } from 'vitest';
import * as index from '../../index.ts';
import { isClusterScoped, isSameType, type JsonObject } from '../../shared/kubernetes.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { builtInTypes } from '../support/child-types.ts';

const { child, defineKind, Type } = index;

/** A child of each cluster-scoped type, and an edit of it by others with the path of what it changes. */
const cases: readonly (readonly [index.Child, JsonObject, string])[] = [
  [
    child(index.namespace, { name: 'park', labels: { tier: 'one' }, body: {} }),
    { metadata: { labels: { tier: 'two' } } },
    'metadata.labels.tier',
  ],
  [
    child(index.clusterRole, {
      name: 'park',
      body: { rules: [{ apiGroups: [''], resources: ['events'], verbs: ['list'] }] },
    }),
    { rules: [] },
    'rules',
  ],
  [
    child(index.clusterRoleBinding, {
      name: 'park',
      body: {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'park' },
        subjects: [{ kind: 'User', name: 'jane' }],
      },
    }),
    { subjects: [] },
    'subjects',
  ],
  [
    child(index.priorityClass, { name: 'park', body: { value: 7, description: 'trees' } }),
    { description: 'cars' },
    'description',
  ],
  [
    child(index.storageClass, {
      name: 'park',
      body: {
        provisioner: 'park.example.org',
        parameters: { kind: 'fast' },
        allowVolumeExpansion: true,
      },
    }),
    { allowVolumeExpansion: false },
    'allowVolumeExpansion',
  ],
];

const park = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Park',
  plural: 'parks',
  scope: 'Cluster',
  spec: Type.Object({ isEmpty: Type.Boolean({ default: false }) }),
  samples: [{ name: 'park', spec: {} }],
  owns: cases.map(([{ type }]) => type),
  children: ({ spec: { isEmpty } }) => (isEmpty ? [] : cases.map(([wanted]) => wanted)),
});

let world: World;
beforeAll(async () => {
  world = await createWorld({ kinds: [park] });
  await world.apply(park, { name: 'park' });
  expect(await world.resync()).toMatchObject({ outcomes: { created: cases.length }, failures: [] });
});
afterAll(() => world.close());

const writes = () => world.requests().filter(({ isWrite }) => isWrite);

it('every cluster-scoped type is in this table', () => {
  const missing = builtInTypes
    .filter(isClusterScoped)
    .filter((type) => !cases.some(([wanted]) => isSameType(wanted.type, type)));
  expect(missing).toEqual([]);
});

it('an unchanged cluster is not written', async () => {
  writes();
  await world.resync();
  expect(writes()).toEqual([]);
});

it.each(cases.map((one) => [one[0].type.kind, one] as const))(
  'an edit of a %s by others is reverted',
  async (kind, [{ type }, body, path]) => {
    const { metadata, ...before } = (await world.get(type, 'park')) ?? {};
    await world.patch(type, 'park', { body });
    expect(await world.resync()).toMatchObject({ outcomes: { updated: 1 }, failures: [] });
    const { metadata: after, ...live } = (await world.get(type, 'park')) ?? {};
    expect({ ...live, labels: after?.labels }).toEqual({ ...before, labels: metadata?.labels });
    const messages = (await world.events(park, 'park')).map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining(`${kind} park: ${path}`));
  },
);

it('all are deleted when they are no longer wanted, except what is retained', async () => {
  await world.apply(park, { name: 'park', spec: { isEmpty: true } });
  await world.resync();
  for (const [{ type }] of cases)
    expect((await world.get(type, 'park')) !== undefined, type.kind).toBe(type.retained === true);
});
