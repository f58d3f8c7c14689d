import { expect, test } from 'vitest';
import { child, configMap, defineChildType, defineKind, Type } from '../../index.ts';
import { createTestEnvironment, expectConverged } from '../../testing/index.ts';

const scope = 'Cluster';
const csiDriver = defineChildType<{ spec: { attachRequired: boolean } }>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  scope,
  impact: () => ['interrupt'],
});
const node = defineChildType<{ spec: { taints?: { key: string }[] } }>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  scope,
});

/** Makes a CSIDriver, and a ConfigMap for each Node with a label. */
const storage = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Storage',
  plural: 'storages',
  scope,
  spec: Type.Object({ attachRequired: Type.Boolean({ default: true }) }),
  samples: [{ name: 'park', spec: {} }],
  owns: [csiDriver, configMap],
  reads: { nodes: { type: node, selector: () => ({ matchLabels: { storage: 'park' } }) } },
  children: ({ name, spec, reads }) => [
    child(csiDriver, { name, recreate: true, body: { spec } }),
    ...reads.nodes.map((one) =>
      child(configMap, {
        name: `${name}-${one.name}`,
        namespace: 'default',
        body: { data: { taints: (one.spec.taints ?? []).map(({ key }) => key).join() } },
      }),
    ),
  ],
});

const nodeCalled = (name: string, taints: readonly object[] = []) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { storage: 'park' } },
  spec: { taints },
});

test('a kind owns and reads cluster-scoped types of Kubernetes that are not exported', async () => {
  const given = [nodeCalled('one'), nodeCalled('two')];
  const { children } = await expectConverged(storage, { given });
  expect(children).toEqual([
    'CSIDriver park',
    'ConfigMap default/park-one',
    'ConfigMap default/park-two',
  ]);
});

test('its children follow Nodes', async () => {
  await using env = await createTestEnvironment({ kinds: [storage] });
  await env.apply(storage, { name: 'park', spec: {} });
  await env.resync();
  await env.apply(nodeCalled('one', [{ key: 'dedicated', effect: 'NoSchedule' }]));
  await env.deliver();
  expect(await env.get(configMap, 'park-one')).toMatchObject({ data: { taints: 'dedicated' } });
  await env.delete(node, 'one');
  await env.deliver();
  expect(await env.list(configMap)).toEqual([]);
});

test('an edit of an immutable field recreates a CSIDriver', async () => {
  await using env = await createTestEnvironment({ kinds: [storage] });
  await env.apply(storage, { name: 'park', spec: {} });
  await env.resync();
  await env.patch(storage, 'park', { body: { spec: { attachRequired: false } } });
  env.requests();
  await env.resync();
  const written = env.requests().filter((one) => one.isWrite && one.resource === 'csidrivers');
  expect(written.map(({ verb }) => verb)).toEqual(['delete', 'patch']);
  expect(await env.get(csiDriver, 'park')).toMatchObject({ spec: { attachRequired: false } });
});
