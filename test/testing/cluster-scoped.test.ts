import { expect, it } from 'vitest';
import { type Child, child, configMap, defineKind, namespace, Type } from '../../index.ts';
import { openServer } from '../../infra/check/dry-run-server.ts';
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
  spec: Type.Object({
    place: Type.String({ pattern: '^room-[a-z0-9]{1,9}$' }),
    level: Type.Integer({ minimum: 0, maximum: 9, default: 1 }),
  }),
  samples: [{ name: 'room-sample', spec: { place: 'room-a' } }],
  owns: [namespace, configMap],
  children: ({ name, spec: { place, level } }) => [
    child(namespace, { name: place, labels: { level: String(level) }, body: {} }),
    child(configMap, { name: 'room', namespace: place, body: { data: { name } } }),
  ],
});

it('children in a namespace that the spec chooses and labels keep the laws', async () => {
  const { specs } = await expectReliable(room, { seconds: 1, seed: 1 });
  expect(specs).toBeGreaterThan(0);
});

it('a check of an edited Namespace keeps it for the children in it', async () => {
  const resourceOf = (level: number) => ({
    name: 'one',
    namespace: '',
    uid: 'uid',
    createdAt: '2026-01-01T00:00:00Z',
    spec: { place: 'room-a', level },
  });
  const [before, after] = [1, 2].map((level) => room.desired(resourceOf(level)) as Child[]);
  const server = await openServer([room]);
  expect(server.ofEdit(room, resourceOf(2), { before: before ?? [], after: after ?? [] })).toEqual(
    [],
  );
  expect(server.ofChildren(room, resourceOf(2), after ?? [])).toEqual([]);
  server.stop();
});
