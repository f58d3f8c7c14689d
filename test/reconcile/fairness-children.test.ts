import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configMap, deployment, ingress, service } from '../../index.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';
import { effort } from '../properties/runs.ts';
import { box } from '../support/box.ts';
import { kindsFor } from '../support/config.ts';
import { engineUser, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [box] });

/** Delays patches of a resource type, as a dead admission webhook does, until the returned function is called. */
const delayWrites = (place: Place, resource: string, { ms = 60_000, name = '' } = {}) =>
  engine.cluster.faults.add({
    user: engineUser,
    namespace: place.namespace,
    verb: 'patch',
    resource,
    ...(name === '' ? {} : { name }),
    effect: { kind: 'delay', ms },
  });

const namesOf = async (place: Place, type: ResourceType): Promise<readonly string[]> =>
  (await place.api.list(type)).map(({ metadata }) => metadata.name).toSorted();

describe('C-11 children whose writes hang', () => {
  test('do not prevent writes of their siblings in the same run', async () => {
    const masks = fc.array(fc.integer({ min: 0, max: 63 }), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(masks, async (chosen) => {
        const place = await engine.place([box]);
        const boxes = chosen.map((mask, at) => ({
          name: `box-${at}`,
          maps: [0, 1, 2, 3, 4, 5].map((map) => ({
            name: `box-${at}-map-${map}`,
            hangs: (mask & (1 << map)) !== 0,
          })),
        }));
        for (const { name, maps } of boxes)
          await place.api.create(box, name, { spec: { maps: maps.map((map) => map.name) } });
        const maps = boxes.flatMap((one) => one.maps);
        const ends = maps
          .filter(({ hangs }) => hangs)
          .map(({ name }) => delayWrites(place, 'configmaps', { name }));
        await place.resync({ concurrency: 6, deadline: Date.now() + 8_000 });
        for (const end of ends) end();
        const names = boxes.map(({ name }) => name);
        expect(await namesOf(place, deployment)).toEqual(names);
        expect(await namesOf(place, service)).toEqual(names);
        const written = new Set(await namesOf(place, configMap));
        for (const { name, hangs } of maps) expect(written.has(name), name).toBe(!hangs);
      }),
      effort(12),
    );
  }, 120_000);

  test('and succeed late are written later, and all others in the first run', async () => {
    const place = await engine.place([box]);
    const names = Array.from({ length: 40 }, (_, at) => `box-${String(at).padStart(2, '0')}`);
    for (const name of names) await place.api.create(box, name, { spec: { maps: [name] } });
    // A quarter of the run's time, like the default webhook timeout of 10 s with DEADLINE_SECONDS=40.
    delayWrites(place, 'configmaps', { ms: 2_500 });
    for (let written = 0; written < names.length; ) {
      await place.resync({ concurrency: 8, deadline: Date.now() + 10_000 });
      expect(await namesOf(place, deployment)).toEqual(names);
      expect(await namesOf(place, service)).toEqual(names);
      const now = (await namesOf(place, configMap)).length;
      expect(now).toBeGreaterThanOrEqual(Math.min(written + 8, names.length));
      written = now;
    }
  }, 120_000);

  test("get the rest of the run's time once all others are written", async () => {
    const place = await engine.place([box]);
    await place.api.create(box, 'box', { spec: { maps: ['slow'] } });
    delayWrites(place, 'configmaps', { ms: 3_000 });
    const report = await place.resync({ deadline: Date.now() + 10_000 });
    expect(report.outcomes).toMatchObject({ created: 3 });
    expect(await namesOf(place, configMap)).toEqual(['slow']);
  }, 30_000);
});

test('law 15 an endpoint is closed even if every other write of its resource hangs', async () => {
  const kinds = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });
  const [app] = kinds.filter(({ kind }) => kind === 'ContainerApp');
  if (app === undefined) throw new Error('there is no ContainerApp');
  const place = await engine.place([app]);
  const open = [
    { path: '/', scopes: [] },
    { path: '/admin', scopes: ['admin'] },
  ];
  await place.api.create(app, 'shop', { spec: { image: 'shop:1', endpoints: open } });
  await place.resync();
  expect(await place.api.list(ingress)).not.toEqual([]);
  await place.api.patch(app, 'shop', { spec: { image: 'shop:2', endpoints: [] } });
  for (const resource of ['deployments', 'services', 'horizontalpodautoscalers', 'configmaps'])
    delayWrites(place, resource);
  await place.resync({ deadline: Date.now() + 4_000 });
  expect(await place.api.list(ingress)).toEqual([]);
});
