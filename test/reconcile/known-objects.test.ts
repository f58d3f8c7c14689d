import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type KnownLists, openKnownLists } from '../../shared/reconcile/known-objects.ts';
import { type MemoryBudget, openMemory, weightOf } from '../../shared/reconcile/memory-budget.ts';
import { survey, type Uids } from '../../shared/reconcile/survey.ts';
import { noteKind } from '../support/note.ts';
import type { Place } from './engine.ts';
import { openStepWorld, type StepWorld } from './step-world.ts';

interface Sized {
  readonly namespace: string;
  readonly bytes: number;
}

let planned: string[] = [];

const note = noteKind((name) => planned.push(name));

/** A kind whose resources own those of another. */
const album: Kind = defineKind({
  ...{ group: 'example.org', version: 'v1', kind: 'Album', plural: 'albums' },
  spec: Type.Object({ text: Type.String() }),
  samples: [{ name: 'album', spec: { text: 'x' } }],
  owns: [note],
  children({ name, spec: { text } }) {
    planned.push(`album ${name}`);
    return [child(note, { name: `${name}-note`, body: { spec: { text } } })];
  },
});

let world: StepWorld;
let place: Place;
beforeAll(async () => {
  world = await openStepWorld([note, album]);
});
afterAll(() => world.stop());
beforeEach(async () => {
  place = await world.place();
  for (const name of ['a', 'b', 'c']) await place.api.create(note, name, { spec: { text: name } });
  await place.tick();
});

/** A memory whose use can be read. */
function openCounted() {
  let [held, most] = [0, 0];
  const open = (): MemoryBudget => {
    let own = 0;
    const count = (_: string, bytes: number): void => {
      own += bytes;
      held += bytes;
      most = Math.max(most, held);
    };
    return {
      ...{ count, part: open, onShort: () => undefined },
      admit(namespace, bytes) {
        count(namespace, bytes);
        return true;
      },
      admitSpare(namespace, bytes) {
        count(namespace, bytes);
        return true;
      },
      close() {
        held -= own;
        own = 0;
      },
    };
  };
  return { memory: open(), held: () => held, most: () => most };
}

function openSurveys() {
  const { memory, held } = openCounted();
  const known = openKnownLists(memory);
  return {
    held,
    /** The names of the resources that are planned, and of those that are work. */
    async survey(over: object = {}, awaited?: Uids, kinds = [note]) {
      planned = [];
      const area = { kinds, namespaces: [place.namespace], name: undefined };
      const run = { ...world.run, memoryBudget: openMemory()('local'), known, ...over };
      const { work, resources, incomplete } = await survey(run, area, awaited);
      expect(incomplete).toEqual([]);
      return { planned, work: work.map(({ resource }) => resource.name), resources };
    },
  };
}

describe('a resource is planned again', () => {
  test('only if it or a child of it has changed', async () => {
    const { survey } = openSurveys();
    expect(await survey()).toEqual({ planned: ['a', 'b', 'c'], work: [], resources: 3 });
    expect(await survey()).toEqual({ planned: [], work: [], resources: 3 });
    await place.api.patch(configMap, 'b', { data: { text: 'changed' } });
    expect(await survey()).toEqual({ planned: ['b'], work: ['b'], resources: 3 });
    expect(await survey()).toEqual({ planned: ['b'], work: ['b'], resources: 3 });
    await place.tick();
    await survey();
    expect(await survey()).toEqual({ planned: [], work: [], resources: 3 });
  });

  test('if a write elsewhere has changed only the version of the list: no', async () => {
    const { survey } = openSurveys();
    await survey();
    await place.api.create(configMap, 'of-nobody', { data: {} });
    expect(await survey()).toEqual({ planned: [], work: [], resources: 3 });
  });

  test('by another process, and where a run does not know its lists', async () => {
    await openSurveys().survey();
    const { survey } = openSurveys();
    expect(await survey()).toMatchObject({ planned: ['a', 'b', 'c'] });
    expect(await survey({ known: undefined })).toMatchObject({ planned: ['a', 'b', 'c'] });
  });

  test('where a list of children holds the resources of another kind: no', async () => {
    const { survey } = openSurveys();
    for (const name of ['a', 'b', 'c']) {
      await place.api.remove(note, name);
      await place.api.remove(configMap, name);
    }
    await place.api.create(album, 'x', { spec: { text: 'x' } });
    for (let ticks = 0; ticks < 3; ticks++) await place.tick();
    const both = () => survey({}, undefined, [note, album]);
    const all = { planned: expect.arrayContaining(['x-note', 'album x']), work: [], resources: 2 };
    expect(await both()).toEqual(all);
    expect(await both()).toEqual({ planned: [], work: [], resources: 2 });
  });

  test('after a survey of some resources, which makes nothing of the others', async () => {
    const { survey } = openSurveys();
    const { uid } = (await place.api.get(note, 'a')).metadata;
    expect(await survey({}, new Set([uid]))).toMatchObject({ work: ['a'], resources: 1 });
    expect(await survey()).toEqual({ planned: ['a', 'b', 'c'], work: [], resources: 3 });
    await survey({}, new Set([uid]));
    expect(await survey()).toEqual({ planned: [], work: [], resources: 3 });
  });

  test('where a child was unreadable only for lack of room', async () => {
    const { survey } = openSurveys();
    const full = { memoryBudget: openMemory(0, 0)('local') };
    expect(await survey(full)).toMatchObject({ planned: ['a', 'b', 'c'], resources: 3 });
    expect(await survey()).toEqual({ planned: ['a', 'b', 'c'], work: [], resources: 3 });
    expect(await survey()).toMatchObject({ planned: [] });
  });
});

test('a cluster-scoped resource is planned again only if it or a child of it has changed, too', async () => {
  let asked = 0;
  const folder = defineKind({
    ...{ group: 'example.org', version: 'v1', kind: 'Folder', plural: 'folders', scope: 'Cluster' },
    spec: Type.Object({ text: Type.String() }),
    samples: [{ name: 'folder', spec: { text: 'x' } }],
    owns: [configMap],
    children({ name, spec: { text } }) {
      asked++;
      const { namespace } = place;
      return [child(configMap, { name: `folder-${name}`, namespace, body: { data: { text } } })];
    },
  });
  const folders = await openStepWorld([folder]);
  onTestFinished(() => folders.stop());
  place = await folders.place();
  const all = { kinds: [folder], namespaces: undefined, name: undefined };
  await folders.admin.create(folder, 'a', { spec: { text: 'a' } });
  await place.tick({ namespaces: undefined });
  await place.tick({ namespaces: undefined });
  const known = openKnownLists(openMemory()('local'));
  const askedIn = async () => {
    asked = 0;
    const { work } = await survey({ ...folders.run, known }, all);
    return { asked, work: work.length };
  };
  expect(await askedIn()).toEqual({ asked: 1, work: 0 });
  expect(await askedIn()).toEqual({ asked: 0, work: 0 });
  await place.api.patch(configMap, 'folder-a', { data: { text: 'changed' } });
  expect(await askedIn()).toEqual({ asked: 1, work: 1 });
});

describe('the memory', () => {
  test('has room for what it has room for without what is known', async () => {
    const { survey: measured, held } = openSurveys();
    await measured();
    // Enough to hold each object once, and little else.
    const memory = openMemory(3 * held(), 0);
    const known = openKnownLists(memory('local'));
    const area = { kinds: [note], namespaces: [place.namespace], name: undefined };
    const lost = async () => {
      const memoryBudget = memory('local');
      const { work, unkept } = await survey({ ...world.run, memoryBudget, known }, area);
      memoryBudget.close();
      const children = work.flatMap((one) => [...one.children.values()]);
      return [...unkept, ...children.flatMap(({ unreadable }) => unreadable ?? [])];
    };
    for (const text of ['1', '2', '3']) {
      await place.api.patch(configMap, 'a', { data: { text } });
      expect(await lost()).toEqual([]);
      expect(await lost()).toEqual([]);
    }
  });

  test('holds no owner of any length that others have written', async () => {
    await place.api.create(configMap, 'decoy', {
      metadata: {
        labels: (await place.api.get(configMap, 'a')).metadata.labels,
        ownerReferences: [
          {
            ...{ apiVersion: 'example.org/v1', kind: 'Note', name: 'a', controller: true },
            uid: 'u'.repeat(100_000),
          },
        ],
      },
    });
    const kept: unknown[] = [];
    const known: KnownLists = {
      count: () => undefined,
      list: (_, again) => ({
        ...{ again, recall: () => undefined, end: () => undefined },
        keep: (_digest, made) => kept.push(made && { ...made, child: undefined }),
      }),
    };
    await openSurveys().survey({ known });
    expect(weightOf(kept)).toBeLessThan(10_000);
  });

  test('holds what is known of each object, once', async () => {
    const { survey, held } = openSurveys();
    await survey();
    const all = held();
    expect(all).toBeGreaterThan(3 * 1024);
    await survey();
    expect(held()).toBe(all);
    await place.api.remove(note, 'c');
    await place.api.remove(configMap, 'c');
    await survey();
    expect(held()).toBeLessThan(all);
  });

  test('is left to runs where half of it is taken', () => {
    const memory = openMemory(10_000);
    const budget = memory('local');
    const known = openKnownLists(memory('local'));
    const knownOf = (digests: string) => {
      const list = known.list<Sized>('list', (made) => made);
      const all = [...digests].filter((digest) => list.recall(digest) !== undefined);
      for (const digest of digests) list.keep(digest, { namespace: 'n', bytes: 1_744 });
      list.end();
      known.count();
      return all.join('');
    };
    expect(knownOf('abc')).toBe('');
    expect(knownOf('abc')).toBe('ab');
    budget.count('n', 4_000);
    expect(knownOf('abc')).toBe('ab');
    expect(knownOf('abc')).toBe('');
    budget.close();
    expect(knownOf('abc')).toBe('');
    expect(knownOf('abc')).toBe('ab');
  });

  test('knows a namespace as a whole where not all have room', () => {
    const known = openKnownLists(openMemory(10_000)('local'));
    const read = (name: string): string => {
      const list = known.list<Sized>(name, (made) => made);
      const all = ['a', 'b'].filter((namespace) => list.recall(`${name} ${namespace}`));
      for (const namespace of ['a', 'b'])
        list.keep(`${name} ${namespace}`, { namespace, bytes: 1_744 });
      list.end();
      return all.join('');
    };
    expect([read('children'), read('resources')]).toEqual(['', '']);
    known.count();
    expect([read('children'), read('resources')]).toEqual(['a', 'a']);
  });

  test('is released for what a list does not contain any more', () => {
    const { memory, held } = openCounted();
    const known = openKnownLists(memory);
    const read = (digests: string): void => {
      const list = known.list<Sized>('list', (made) => made);
      for (const digest of digests) list.keep(digest, { namespace: 'n', bytes: 1_000 });
      list.end();
    };
    read('abc');
    expect(held()).toBe(0);
    known.count();
    const each = held() / 3;
    expect(each).toBeGreaterThan(1_000);
    read('b');
    known.count();
    expect(held()).toBe(each);
  });

  test('is not needed twice while a long list is read again, of which each object has changed', () => {
    const known = openKnownLists(openMemory()('local'));
    const all = (version: string) => Array.from({ length: 5_000 }, (_, at) => `${version}${at}`);
    const open = () => known.list<Sized>('list', (made) => made);
    const first = open();
    for (const digest of all('a')) first.keep(digest, { namespace: 'n', bytes: 1 });
    first.end();
    const next = open();
    const knownNow = (): number => all('a').filter((digest) => next.recall(digest)).length;
    expect(knownNow()).toBe(5_000);
    for (const digest of all('b').slice(0, 3_000)) next.keep(digest, undefined);
    expect(knownNow()).toBe(3_000);
  });

  test('of a list that breaks off keeps what was known before, and what was read since', () => {
    const known = openKnownLists(openMemory()('local'));
    const open = () => known.list<Sized>('list', (made) => made);
    const all = Array.from({ length: 5_000 }, (_, at) => `${at}`);
    const read = (digests: readonly string[]) => {
      const list = open();
      const again = digests.filter((digest) => list.recall(digest) !== undefined).length;
      for (const digest of digests) list.keep(digest, { namespace: 'n', bytes: 1 });
      return { list, again };
    };
    read(all).list.end();
    known.count();
    for (let ticks = 0; ticks < 3; ticks++) {
      expect(read(all.slice(0, 4_000)).again).toBe(4_000);
      known.count();
    }
    const { again, list } = read([...all, 'new']);
    expect(again).toBe(5_000);
    list.end();
    expect(open().recall('new')).toBeDefined();
  });

  test('is given back before an object of a run has no room', async () => {
    const { memory, most } = openCounted();
    const area = { kinds: [note], namespaces: [place.namespace], name: undefined };
    await survey({ ...world.run, memoryBudget: memory }, area);
    // Of large objects a namespace may take half.
    const small = openMemory(2.5 * most(), 0);
    const known = openKnownLists(small('local'));
    for (const text of ['1', '2', '3']) {
      for (const name of ['a', 'b', 'c'])
        await place.api.patch(configMap, name, { metadata: { annotations: { text } } });
      const memoryBudget = small('local');
      const { work, unkept } = await survey({ ...world.run, memoryBudget, known }, area);
      memoryBudget.close();
      const children = work.flatMap((one) => [...one.children.values()]);
      expect([...unkept, ...children.flatMap(({ unreadable }) => unreadable ?? [])]).toEqual([]);
    }
  });

  test('is released also where the list of one namespace fails while that of another goes on', async () => {
    const other = await world.place();
    await other.api.create(note, 'a', { spec: { text: 'a' } });
    await other.tick();
    const begun: Promise<void>[] = [];
    const refused = new KubeError('list', { code: 403, status: {} });
    const cluster: Cluster = {
      ...world.run.cluster,
      list(type, selection, each, known) {
        const go = async (): Promise<void> => {
          if (type === configMap && selection.namespace === place.namespace) throw refused;
          await new Promise(setImmediate);
          await world.run.cluster.list(type, selection, each, known);
        };
        const listed = go();
        begun.push(listed);
        return listed;
      },
    };
    const { memory, held } = openCounted();
    const namespaces = [place.namespace, other.namespace];
    const run = { ...world.run, cluster, memoryBudget: memory };
    const { incomplete } = await survey(run, { kinds: [note], namespaces, name: undefined });
    expect(incomplete.length).toBe(1);
    await Promise.allSettled(begun);
    expect(held()).toBe(0);
  });
});
