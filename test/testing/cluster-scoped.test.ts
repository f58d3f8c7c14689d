import { expect, it } from 'vitest';
import { child, configMap, defineKind, namespace, Type } from '../../index.ts';
import { expectConverged, expectReliable } from '../../testing/index.ts';
import { team } from '../support/team.ts';

it('a cluster-scoped kind with its own Namespaces keeps the laws', async () => {
  const { children, repaired } = await expectConverged(team);
  expect(children).toEqual([
    'ClusterRole team-team-sample',
    'Namespace team-sample',
    'ResourceQuota team-sample/team-team-sample',
    'LimitRange team-sample/team-team-sample',
    'NetworkPolicy team-sample/team-team-sample',
    'RoleBinding team-sample/team-team-sample',
    'ConfigMap team-sample/team-team-sample',
    'ConfigMap default/team-team-sample',
  ]);
  expect(repaired).toBeGreaterThan(50);
});

const room = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Room',
  plural: 'rooms',
  scope: 'Cluster',
  spec: Type.Object({ place: Type.String({ pattern: '^room-[a-z0-9]{1,9}$' }) }),
  samples: [{ name: 'room-sample', spec: { place: 'room-a' } }],
  owns: [namespace, configMap],
  children: ({ name, spec: { place } }) => [
    child(namespace, { name: place, body: {} }),
    child(configMap, { name: 'room', namespace: place, body: { data: { name } } }),
  ],
});

it('children in a namespace that the spec chooses may have the same names for every resource', async () => {
  const { specs } = await expectReliable(room, { seconds: 1, seed: 1 });
  expect(specs).toBeGreaterThan(0);
});
