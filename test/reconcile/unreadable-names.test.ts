import { expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { foo } from '../../systems/foo.ts';
import { condition } from '../scenarios/resources.ts';
import { engineUser, isWriteRequest } from './engine.ts';
import { useEngine } from './use-engine.ts';

let now = new Date('2026-01-01T00:00:00Z').getTime();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now) });

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

test('unreadable children in a status do not prevent reads of others, and are reported once', async () => {
  const place = await engine.place();
  const resync = () => {
    now += 600_000;
    return place.resync();
  };
  await place.api.create(foo, 'f', { spec: { deploymentName: 'f', replicas: 1 } });
  await resync();
  const { namespace } = place;
  const locked = names('locked', 20);
  for (const name of locked)
    engine.cluster.faults.add({
      user: engineUser,
      namespace,
      verb: 'get',
      resource: 'deployments',
      name,
      effect: { kind: 'status', code: 410 },
    });
  const children = ['f', ...locked, ...names('missing', 10)].map((name) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name,
  }));
  await place.api.patch(foo, 'f', { status: { children } }, { subresource: 'status' });

  const listed = async () => {
    const { status } = await place.api.get(foo, 'f');
    const refs = (status?.children ?? []) as typeof children;
    return refs.map(({ name }) => name).toSorted();
  };
  for (let resyncs = 0; resyncs < 12; resyncs++) await resync();
  expect(await listed()).toEqual(['f', ...locked].toSorted());
  expect(condition(await place.api.get(foo, 'f'), 'Stalled')?.message).toContain(
    'status.children names 20 objects',
  );

  const before = place.requests().length;
  for (let resyncs = 0; resyncs < 3; resyncs++) await resync();
  const since = place.requests().slice(before);
  expect(since.filter(isWriteRequest)).toEqual([]);
  expect(since.filter(({ verb }) => verb === 'get')).toHaveLength(3 * 16);

  // An edit is applied, but its generation not acted on while unwanted children may be unknown.
  await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
  await resync();
  expect((await place.api.get(deployment, 'f')).spec).toMatchObject({ replicas: 2 });
  expect((await place.api.get(foo, 'f')).status?.observedGeneration).toBe(1);
});
