import { afterAll, beforeAll, expect, it } from 'vitest';
import * as index from '../../index.ts';
import { isClusterScoped, isSameType, type JsonObject } from '../../shared/kubernetes.ts';
import { createTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
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

let env: TestEnvironment;
beforeAll(async () => {
  env = await createTestEnvironment({ kinds: [park] });
  await env.apply(park, { name: 'park' });
  expect(await env.resync()).toMatchObject({ outcomes: { created: cases.length }, failures: [] });
});
afterAll(() => env.close());

const writes = () => env.requests().filter(({ isWrite }) => isWrite);

it('every cluster-scoped type is in this table', () => {
  const missing = builtInTypes
    .filter(isClusterScoped)
    .filter((type) => !cases.some(([wanted]) => isSameType(wanted.type, type)));
  expect(missing).toEqual([]);
});

it('an unchanged cluster is not written', async () => {
  writes();
  await env.resync();
  expect(writes()).toEqual([]);
});

it.each(cases.map((one) => [one[0].type.kind, one] as const))(
  'an edit of a %s by others is reverted',
  async (kind, [{ type }, body, path]) => {
    const { metadata, ...before } = (await env.get(type, 'park')) ?? {};
    await env.patch(type, 'park', { body });
    expect(await env.resync()).toMatchObject({ outcomes: { updated: 1 }, failures: [] });
    const { metadata: after, ...live } = (await env.get(type, 'park')) ?? {};
    expect({ ...live, labels: after?.labels }).toEqual({ ...before, labels: metadata?.labels });
    const messages = (await env.events(park, 'park')).map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining(`${kind} park: ${path}`));
  },
);

it('all are deleted when they are no longer wanted, except what is retained', async () => {
  await env.apply(park, { name: 'park', spec: { isEmpty: true } });
  await env.resync();
  for (const [{ type }] of cases)
    expect((await env.get(type, 'park')) !== undefined, type.kind).toBe(type.retained === true);
});
