import { expect, test } from 'vitest';
import { deployment } from '../../index.ts';
import { valueAt } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { expectConverged } from '../../testing/index.ts';
import { pool } from '../support/pool.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [pool] });
const place = usePlace(engine, [pool]);

const replicas = async (): Promise<unknown> =>
  valueAt((await place.api.get(deployment, 'one')).spec, 'replicas');
const created = async (): Promise<void> => {
  await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
  await place.resync();
};
const writes = (begun: number): readonly string[] =>
  place
    .requests()
    .slice(begun)
    .filter((one) => isWriteRequest(one) && one.resource === 'deployments')
    .map(({ verb }) => verb);

test('an initial field is set when the child is created, and never written again', async () => {
  await created();
  expect(await replicas()).toBe(2);
  const begun = place.requests().length;
  await place.resync();
  expect(writes(begun)).toEqual([]);
});

test('an initial field keeps the value that others set, even if other fields change', async () => {
  await created();
  await place.api.scale(deployment, 'one', 5);
  await place.api.patch(pool, 'one', { spec: { image: 'a:2' } });
  const begun = place.requests().length;
  const { outcomes } = await place.resync();
  expect(outcomes).toMatchObject({ updated: 1 });
  expect(writes(begun)).toEqual(['patch']);
  expect(await replicas()).toBe(5);
  const live = await place.api.get(deployment, 'one');
  expect(live.metadata.annotations).toMatchObject({ note: 'new' });
});

test('a child that was deleted by others gets its initial field again', async () => {
  await created();
  await place.api.scale(deployment, 'one', 5);
  await place.api.remove(deployment, 'one');
  await place.resync();
  expect(await replicas()).toBe(2);
});

test('a child that a run recreates gets its initial field again', async () => {
  await created();
  await place.api.patch(pool, 'one', { spec: { tier: 'back' } });
  const begun = place.requests().length;
  await place.resync();
  expect(writes(begun)).toEqual(['delete', 'patch', 'patch', 'patch']);
  expect(await replicas()).toBe(2);
});

test('the Event of a recreation names each change once', async () => {
  await created();
  await place.api.scale(deployment, 'one', 5);
  const renewed: Kind = {
    ...pool,
    desired: (resource) => pool.desired({ ...resource, spec: { image: 'a:1', tier: 'back' } }),
  };
  await place.resync({ kinds: [renewed] });
  const events = (await place.api.list(eventType)) as readonly { readonly message?: unknown }[];
  expect(events.map(({ message }) => message)).toEqual([
    'Deployment one: spec.replicas 5 → 2, changed by kubectl; spec.selector.matchLabels.tier "front" → "back"; spec.template.metadata.labels.tier "front" → "back"',
  ]);
});

test.each([1, 2, 3])(
  'a run that crashes before write %i of the creation loses no initial field',
  async (nth) => {
    await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
    const remove = engine.cluster.faults.add({
      verb: 'patch',
      resource: 'deployments',
      namespace: place.namespace,
      nth,
      times: 100,
      effect: { kind: 'status', code: 409 },
    });
    await place.resync();
    remove();
    await place.resync();
    expect(await replicas()).toBe(2);
    await place.api.scale(deployment, 'one', 4);
    await place.resync();
    expect(await replicas()).toBe(4);
  },
);

test.each([2, 3])('a child is reported as created after a conflict at write %i', async (nth) => {
  await place.api.create(pool, 'one', { spec: { image: 'a:1' } });
  engine.cluster.faults.add({
    verb: 'patch',
    resource: 'deployments',
    namespace: place.namespace,
    nth,
    times: 1,
    effect: { kind: 'status', code: 409 },
  });
  const { outcomes } = await place.resync();
  expect(outcomes).toMatchObject({ created: 1, updated: 0 });
  expect(await replicas()).toBe(2);
});

test('a kind with an initial field keeps the laws of the engine', async () => {
  const { children } = await expectConverged(pool);
  expect(children).toEqual(['Deployment one']);
});
