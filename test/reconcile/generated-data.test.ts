import { expect, it } from 'vitest';
import { child, defineKind, secret, Type } from '../../index.ts';
import { createTestEnvironment, type TestEnvironment } from '../../testing/index.ts';

/** Generates data under the keys of its spec, which nothing uses. */
const ring = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Ring',
  plural: 'rings',
  spec: Type.Object({ keys: Type.Array(Type.String()) }),
  samples: [],
  owns: [secret],
  children: ({ name, spec: { keys } }) => [
    child(secret, {
      name,
      body: { data: { fixed: 'eA==' } },
      generated: { keys, usedBy: [] },
    }),
  ],
});

async function dataOf(world: TestEnvironment): Promise<Readonly<Record<string, string>>> {
  const live = await world.get(secret, 'one');
  return (live?.data ?? {}) as Readonly<Record<string, string>>;
}

async function openRing(keys: readonly string[]) {
  const world = await createTestEnvironment({ kinds: [ring] });
  await world.apply(ring, { name: 'one', spec: { keys: [...keys] } });
  await world.resync();
  return world;
}

it('a value that is generated again leaves the others as they are', async () => {
  await using world = await openRing(['a', 'b']);
  const before = await dataOf(world);
  await world.patch(secret, 'one', { body: { data: { b: null } } });
  await world.resync();
  const after = await dataOf(world);
  expect(after).toEqual({ a: before.a, b: expect.any(String), fixed: 'eA==' });
  expect(after.b).not.toBe(before.b);
  await world.resync();
  expect(await dataOf(world)).toEqual(after);
});

it('a further key leaves the values that exist as they are', async () => {
  await using world = await openRing(['a']);
  const before = await dataOf(world);
  await world.apply(ring, { name: 'one', spec: { keys: ['a', 'b'] } });
  await world.resync();
  expect(await dataOf(world)).toEqual({ ...before, b: expect.any(String) });
});

it('a value that a user has set stays, while another is generated', async () => {
  await using world = await openRing(['a', 'b']);
  await world.patch(secret, 'one', { body: { data: { a: 'bWluZQ==', b: null } } });
  await world.resync();
  expect(await dataOf(world)).toEqual({ a: 'bWluZQ==', b: expect.any(String), fixed: 'eA==' });
});
