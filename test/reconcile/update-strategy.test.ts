import { expect, test } from 'vitest';
import { type ChildType, child, defineKind, deployment, statefulSet, Type } from '../../index.ts';
import { createWorld } from '../../testing/index.ts';

const template = {
  metadata: { labels: { app: 'shop' } },
  spec: { containers: [{ name: 'shop', image: 'shop:1' }] },
};
const selector = { matchLabels: { app: 'shop' } };

/** A Deployment and a StatefulSet, with strategies of their own or by default. */
const shop = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  spec: Type.Object({ isAlone: Type.Boolean({ default: false }) }),
  samples: [],
  owns: [deployment, statefulSet],
  children: ({ name, spec: { isAlone } }) => [
    child(deployment, {
      name,
      body: {
        spec: {
          selector,
          template,
          ...(isAlone ? { strategy: { type: 'Recreate' } } : {}),
        },
      },
    }),
    child(statefulSet, {
      name,
      body: {
        spec: {
          serviceName: name,
          selector,
          template,
          ...(isAlone ? { updateStrategy: { type: 'OnDelete' } } : {}),
        },
      },
    }),
  ],
});

const strategies: readonly [ChildType, string, object][] = [
  [deployment, 'strategy', { type: 'Recreate' }],
  [statefulSet, 'updateStrategy', { type: 'OnDelete' }],
];

test('C-3 a rolling update that is there by default gives way to another strategy', async () => {
  await using world = await createWorld({ kinds: [shop] });
  await world.apply(shop, { name: 'shop' });
  await world.tick();
  await world.patch(shop, 'shop', { body: { spec: { isAlone: true } } });
  const { failures } = await world.tick();
  expect(failures).toEqual([]);
  for (const [type, field, wanted] of strategies)
    expect((await world.get(type, 'shop'))?.spec?.[field]).toEqual(wanted);
  await world.tick();
  world.requests();
  await world.tick();
  expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
});

test('C-3 another strategy that others remove is restored', async () => {
  await using world = await createWorld({ kinds: [shop] });
  await world.apply(shop, { name: 'shop', spec: { isAlone: true } });
  await world.tick();
  for (const [type, field, wanted] of strategies) {
    await world.patch(type, 'shop', { body: { spec: { [field]: null } } });
    const { failures } = await world.tick();
    expect(failures).toEqual([]);
    expect((await world.get(type, 'shop'))?.spec?.[field]).toEqual(wanted);
  }
});
