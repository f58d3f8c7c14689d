import { expect, onTestFinished, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { createWorld, type World, type WorldOptions } from '../../testing/index.ts';

async function newWorld(options: WorldOptions = {}): Promise<World> {
  const world = await createWorld({ kinds: [foo, website] }, options);
  onTestFinished(() => world.close());
  return world;
}

const shop = { name: 'shop', spec: { deploymentName: 'shop', replicas: 2 } };

test('a tick creates what a resource wants, and the next one makes it Ready', async () => {
  const world = await newWorld();
  await world.apply(foo, shop);
  expect(await world.tick()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
  const [child] = await world.children(foo, 'shop');
  expect(child).toMatchObject({ kind: 'Deployment', spec: { replicas: 2 } });
  await world.tick();
  expect((await world.conditions(foo, 'shop')).Ready).toMatchObject({ status: 'True' });
  expect(await world.events(foo, 'shop')).toMatchObject([{ reason: 'Synced' }]);
  world.requests();
  await world.tick();
  const sent = world.requests();
  expect(sent.map(({ verb, resource }) => `${verb} ${resource}`)).toContain('list foos');
  expect(sent.filter(({ isWrite }) => isWrite)).toEqual([]);
});

test('a delivery reconciles what was changed since the last tick', async () => {
  const world = await newWorld();
  await world.apply(foo, shop);
  await world.tick();
  expect(await world.deliver()).toMatchObject({ scopes: [] });
  await world.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  expect(await world.deliver()).toMatchObject({
    scopes: [{ kind: 'foos.example.com', namespace: 'default', name: 'shop' }],
    report: { outcomes: { updated: 1 } },
  });
  expect(await world.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } });
  expect(await world.deliver()).toMatchObject({ scopes: [] });
});

test('nothing becomes ready while the controllers are paused', async () => {
  const world = await newWorld({ controllers: 'paused' });
  await world.apply(foo, shop);
  await world.tick();
  await world.tick();
  expect(await world.conditions(foo, 'shop')).toMatchObject({ Ready: { status: 'False' } });
  world.cluster.controllers.resume();
  await world.tick();
  expect(await world.conditions(foo, 'shop')).toMatchObject({ Ready: { status: 'True' } });
});
