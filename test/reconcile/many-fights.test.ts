import { expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { useEngine } from './use-engine.ts';

const many = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Many',
  plural: 'manies',
  spec: Type.Object({ count: Type.Integer() }),
  samples: [{ name: 'many', spec: { count: 1 } }],
  owns: [configMap],
  children: ({ name, spec: { count } }) =>
    Array.from({ length: count }, (_, at) =>
      child(configMap, {
        name: `${name}-${at}`,
        body: {
          data: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`k${at}`, 'ours'])),
        },
      }),
    ),
});
let now = new Date('2026-01-01T00:00:00Z').getTime();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now), install: [many] });

const data = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`k${at}`, 'theirs']));

test('a fight over many fields of many children costs one write for each child', async () => {
  const place = await engine.place([many]);
  await place.api.create(many, 'f', { spec: { count: 100 } });
  const run = (trigger: 'resync' | 'audit', s: number) => {
    now += s * 1000;
    return place.resync({ trigger });
  };
  await run('resync', 0);
  await run('resync', 60);
  const attack = async () => {
    now += 1000;
    for (let at = 0; at < 100; at++)
      await place.api.patch(configMap, `f-${at}`, { data }, { as: 'merge', manager: 'rival' });
  };
  now += 60_000;
  await attack();
  expect((await run('audit', 1)).outcomes.updated).toBe(100);
  for (let rounds = 0; rounds < 3; rounds++) {
    await attack();
    expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 0, skipped: 100 });
  }
});
