import { describe, expect, it, onTestFinished } from 'vitest';
import { child, configMap, defineKind, secret, Type } from '../../index.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type Around, eachCall } from './calls.ts';
import { engineUser } from './engine.ts';
import { setRecords } from './set-records.ts';
import { useEngine, usePlace } from './use-engine.ts';

/** A kind with several ConfigMaps: `one-0`, `one-1` and so on. */
const shelf = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  spec: Type.Object({ size: Type.Integer(), secret: Type.Optional(Type.String()) }),
  samples: [{ name: 'one', spec: { size: 1 } }],
  owns: [configMap],
  reads: { secret: { type: secret, name: ({ spec }) => spec.secret } },
  refuse: ({ size }) => (size > 200 ? 'too many ConfigMaps' : undefined),
  children: ({ name, spec: { size } }) =>
    Array.from({ length: size }, (_, at) =>
      child(configMap, { name: `${name}-${at}`, body: { data: { a: 'b' } } }),
    ),
});

const engine = useEngine({ controllers: 'paused', install: [shelf] });
const place = usePlace(engine, [shelf]);
const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString();

/** Creates a Shelf that is Ready, with its daily comparison by dry runs due. */
async function due(size: number): Promise<void> {
  await place.api.create(shelf, 'one', { spec: { size } });
  await place.resync();
  await setRecords(place.api, shelf, 'one', { comparedAt: yesterday });
}

const comparedAt = async () => (await place.api.get(shelf, 'one')).status?.lastApplied?.comparedAt;
const edit = (name: string, patch: JsonObject) => place.api.patch(configMap, name, patch);

describe('a daily comparison by dry runs', () => {
  it('that hangs delays no repair of another child, and is not begun again at once', async () => {
    await due(6);
    await edit('one-5', { data: { a: 'x' } });
    const { namespace } = place;
    const endings = ['one-0', 'one-1', 'one-2', 'one-3', 'one-4'].map((name) =>
      engine.cluster.faults.add({
        user: engineUser,
        namespace,
        verb: 'patch',
        name,
        effect: { kind: 'delay', ms: 60_000 },
      }),
    );
    const report = await place.resync({ deadline: Date.now() + 6_000 });
    for (const end of endings) end();
    expect(report.failures).toEqual([]);
    expect(await place.api.get(configMap, 'one-5')).toMatchObject({ data: { a: 'b' } });
    expect(await comparedAt()).not.toBe(yesterday);
  });

  const unreadable = () =>
    engine.cluster.faults.add({
      user: engineUser,
      namespace: place.namespace,
      verb: 'get',
      resource: 'secrets',
      effect: { kind: 'status', code: 500 },
    });

  it('is repeated if an object to which the resource refers could not be read', async () => {
    await due(1);
    await place.api.patch(shelf, 'one', { spec: { secret: 'key' } });
    const end = unreadable();
    await place.resync();
    end();
    expect(await comparedAt()).toBe(yesterday);
    await place.resync();
    expect(await comparedAt()).not.toBe(yesterday);
  });

  it('omits children that change meanwhile, however many', async () => {
    const size = 110;
    await due(size);
    const { length: begun } = place.requests();
    const around: Around = async (what, call) => {
      const response = await call();
      if (what !== 'list shelves') return response;
      for (let at = 0; at < size; at++)
        await edit(`one-${at}`, { metadata: { labels: { x: 'y' } } });
      return response;
    };
    const report = await place.resync({ through: (cluster) => eachCall(cluster, around) });
    expect(report.failures).toEqual([]);
    expect(await comparedAt()).not.toBe(yesterday);
    const asked = place.requests().slice(begun);
    expect(asked.filter(({ path }) => path.includes('dryRun=All'))).toHaveLength(size);
  });

  it.each([1, 2])(
    'of many resources that are due at once, in %i configured namespaces, is spread over several resyncs',
    async (count) => {
      const places = await Promise.all(Array.from({ length: count }, () => engine.place([shelf])));
      const all = Array.from({ length: 105 }, (_, at) => ({
        api: places[at % count]!.api,
        name: `s-${at}`,
      }));
      const resync = () =>
        engine.run({}, { kinds: [shelf], namespaces: places.map(({ namespace }) => namespace) });
      for (const { api, name } of all) await api.create(shelf, name, { spec: { size: 1 } });
      await resync();
      for (const { api, name } of all)
        await setRecords(api, shelf, name, { comparedAt: yesterday });
      const left = async () => {
        const live = await Promise.all(all.map(({ api, name }) => api.get(shelf, name)));
        return live.filter(({ status }) => status?.lastApplied?.comparedAt === yesterday).length;
      };
      await resync();
      expect(await left()).toBe(5);
      await resync();
      expect(await left()).toBe(0);
    },
  );

  it.each([
    ['are suspended', { metadata: { annotations: { [suspendAnnotation]: 'true' } } }],
    ['have an invalid spec', { spec: { size: 201 } }],
    ['refer to an object that cannot be read', { spec: { secret: 'key' } }],
  ])('is not delayed by 100 resources that %s', async (_, change) => {
    const idle = Array.from({ length: 100 }, (_, at) => `a-${at}`);
    for (const name of [...idle, 'one']) await place.api.create(shelf, name, { spec: { size: 1 } });
    await place.resync();
    for (const name of [...idle, 'one'])
      await setRecords(place.api, shelf, name, { comparedAt: yesterday });
    for (const name of idle) await place.api.patch(shelf, name, change);
    onTestFinished(unreadable());
    await place.resync();
    expect(await comparedAt()).not.toBe(yesterday);
  });
});
