import { describe, expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { type Around, eachCall } from './calls.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

/** A kind with a ConfigMap of `size` letters for each worker. */
const crew = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Crew',
  plural: 'crews',
  owns: [configMap],
  spec: Type.Object({
    workers: Type.Array(Type.Object({ name: Type.String(), image: Type.String() }), {
      default: [],
    }),
    count: Type.Integer({ default: 0 }),
    size: Type.Integer({ default: 1 }),
    note: Type.Integer({ default: 0 }),
    leader: Type.Optional(Type.String()),
  }),
  samples: [{ name: 'crew', spec: {} }],
  children: ({ name, spec: { workers, count, size, note, leader } }) => [
    ...(leader === undefined ? [] : [leadBy(workers.find((one) => one.name === leader)!)]),
    ...workers.map((one) =>
      child(configMap, { name: `${name}-${one.name}`, body: { data: { image: one.image } } }),
    ),
    ...Array.from({ length: count }, (_, at) =>
      child(configMap, {
        name: `${name}-${String(at).padStart(4, '0')}`,
        body: { data: { text: 'x'.repeat(size) } },
        annotations: note === 0 ? {} : { 'example.org/note': 'x'.repeat(note) },
      }),
    ),
  ],
});

const leadBy = ({ name, image }: { readonly name: string; readonly image: string }) =>
  child(configMap, { name: `lead-${name}`, body: { data: { image } } });

const engine = useEngine({ controllers: 'paused', install: [crew] });
const place: Place = usePlace(engine, [crew]);

const maps = async () =>
  (await place.api.list(configMap)).filter(({ metadata }) => metadata.name.startsWith('a-'));
const ready = async () =>
  (await place.api.get(crew, 'a')).status?.conditions?.find(({ type }) => type === 'Ready');
const writes = () =>
  place
    .requests()
    .filter((one) => isWriteRequest(one) && one.resource !== 'events')
    .map(({ verb, resource, subresource }) => [verb, resource, subresource].join(' ').trim());
const want = async (spec: object) => place.api.patch(crew, 'a', { spec });
const refused = (message: unknown) => ({ status: 'False', reason: 'InvalidSpec', message });

test("a spec for which the kind's code throws is reported with the error, and an edit recovers from it", async () => {
  const one = { name: 'one', image: 'i:1' };
  await place.api.create(crew, 'a', { spec: { workers: [one] } });
  await place.resync();
  expect(await ready()).toMatchObject({ status: 'True' });
  await want({ leader: 'two' });
  for (let runs = 0; runs < 2; runs++) {
    const { failures, statusWrites } = await place.resync();
    expect(failures).toMatchObject([{ message: expect.stringContaining('TypeError') }]);
    expect(statusWrites).toBe(1 - runs);
  }
  expect(await ready()).toMatchObject(
    refused(
      expect.stringMatching(
        /^the kind's code fails: Crew: TypeError: .* at \S+\/bounds\.test\.ts:\d+:\d+$/,
      ),
    ),
  );
  expect(await maps()).toMatchObject([{ data: { image: 'i:1' } }]);
  await want({ leader: 'one' });
  await place.resync();
  expect(await ready()).toMatchObject({ status: 'True', observedGeneration: 3 });
});

describe('two children with the same name', () => {
  const worker = (name: string, image: string) => ({ name, image });

  test('are reported before any write', async () => {
    const workers = [worker('one', 'i:1'), worker('two', 'i:1'), worker('one', 'i:2')];
    await place.api.create(crew, 'a', { spec: { workers } });
    await place.resync();
    expect(writes()).toEqual(['patch crews status']);
    expect(await ready()).toMatchObject(
      refused('the kind returns ConfigMap a-one twice; give one of them another name'),
    );
    await place.resync();
    expect(writes()).toHaveLength(1);
  });

  test('prevent writes to existing children until the spec is edited', async () => {
    await place.api.create(crew, 'a', { spec: { workers: [worker('one', 'i:1')] } });
    await place.resync();
    await want({ workers: [worker('one', 'i:2'), worker('one', 'i:3')] });
    await place.resync();
    expect((await maps()).map(({ data }) => data)).toEqual([{ image: 'i:1' }]);
    await want({ workers: [worker('one', 'i:2')] });
    await place.resync();
    expect((await maps()).map(({ data }) => data)).toEqual([{ image: 'i:2' }]);
    expect(await ready()).toMatchObject({ status: 'True' });
  });
});

describe('many children', { timeout: 60_000 }, () => {
  test('are all recorded up to 1,000, in a status of less than 200 kB', async () => {
    await place.api.create(crew, 'a', { spec: { count: 1000 } });
    await place.resync();
    const { status } = await place.api.get(crew, 'a');
    expect(status?.children).toHaveLength(1000);
    expect(JSON.stringify(status).length).toBeLessThan(200_000);
    expect(await ready()).toMatchObject({ status: 'True' });
    const begun = writes().length;
    await place.resync();
    expect(writes()).toHaveLength(begun);
    // The last child has lost its labels, so that no list contains it.
    await place.api.patch(configMap, 'a-0999', { metadata: { labels: null } });
    await want({ count: 999 });
    await place.resync();
    expect(await maps()).toHaveLength(999);
  });

  test('beyond 1,000 are refused with their number and the limit', async () => {
    await place.api.create(crew, 'a', { spec: { count: 1001 } });
    await place.resync();
    expect(await ready()).toMatchObject(
      refused('1001 children exceed the limit of 1000; divide them among several resources'),
    );
    expect(writes()).toEqual(['patch crews status']);
  });

  test('are recorded while they replace as many former children', async () => {
    await place.api.create(crew, 'a', { spec: { count: 600 } });
    await place.resync();
    const workers = Array.from({ length: 600 }, (_, at) => ({ name: `w${at}`, image: 'i' }));
    await want({ count: 0, workers });
    await place.resync({ pruneLimit: () => 0, trigger: 'audit' });
    const { status } = await place.api.get(crew, 'a');
    expect(new Set(status?.children?.map(({ name }) => name)).size).toBeGreaterThanOrEqual(600);
    await place.resync();
    expect(await maps()).toHaveLength(600);
  });
});

describe('large children', { timeout: 60_000 }, () => {
  test.each([
    { where: 'in their bodies', spec: { count: 60, size: 900_000 } },
    { where: 'in their annotations', spec: { count: 200, note: 200_000 } },
  ])('are refused if they exceed 32 MiB together, $where', async ({ spec }) => {
    await place.api.create(crew, 'a', { spec });
    await place.resync();
    expect(await ready()).toMatchObject(
      refused(
        'the desired children take more than 32 MiB of memory; divide them among several resources',
      ),
    );
    expect(writes()).toEqual(['patch crews status']);
  });

  test('are written for one resource at a time, while small ones are written as well', async () => {
    const other = await engine.place([crew]);
    for (const { api } of [place, other]) {
      for (const name of ['a', 'b', 'c'])
        await api.create(crew, name, { spec: { count: 5, size: 500_000 } });
      await api.create(crew, 'small', { spec: { count: 5 } });
    }
    const open: string[] = [];
    const most = new Map<string, number>();
    const around: Around = async (what, call) => {
      const owner = /^apply ConfigMap (\w+)/.exec(what)?.[1];
      if (owner === undefined) return call();
      const size = owner === 'small' ? 'small' : 'large';
      open.push(size);
      most.set(size, Math.max(most.get(size) ?? 0, open.filter((one) => one === size).length));
      try {
        return await call();
      } finally {
        open.splice(open.indexOf(size), 1);
      }
    };
    const through = (cluster: Cluster) => eachCall(cluster, around);
    const reports = await Promise.all([place, other].map((one) => one.resync({ through })));
    for (const { failures, outcomes } of reports) {
      expect(failures).toEqual([]);
      expect(outcomes).toMatchObject({ created: 20 });
    }
    expect(most.get('large')).toBe(1);
  });

  test('that hang take no slot from small ones, and delay no other run beyond its deadline', async () => {
    const other = await engine.place([crew]);
    const large = { spec: { count: 5, size: 500_000 } };
    await place.api.create(crew, 'a', large);
    await place.api.create(crew, 'small', { spec: { count: 1 } });
    await other.api.create(crew, 'a', large);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const { promise: hangs, resolve: hang } = Promise.withResolvers<void>();
    const around: Around = async (what, call) => {
      if (/^apply ConfigMap a/.test(what)) hang();
      return /^apply ConfigMap a/.test(what) ? over.then(call) : call();
    };
    const through = (cluster: Cluster) => eachCall(cluster, around);
    const first = place.resync({ concurrency: 1, through });
    await hangs;
    const second = await other.resync({ deadline: Date.now() + 500 });
    expect(second.undone).toEqual([`crews.example.org ${other.namespace}/a`]);
    await expect.poll(() => place.api.find(configMap, 'small-0000')).toBeDefined();
    end();
    expect((await first).outcomes).toMatchObject({ created: 6 });
    expect((await other.resync()).outcomes).toMatchObject({ created: 5 });
  });
});

describe('an integer beyond 2^53', () => {
  test('is refused by the API server', async () => {
    await expect(place.api.create(crew, 'a', { spec: { count: 2 ** 53 } })).rejects.toThrow(
      /9007199254740991/,
    );
  });
});
