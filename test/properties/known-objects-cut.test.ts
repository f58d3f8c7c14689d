import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { KubeError } from '../../shared/cluster/errors.ts';
import type { Connection } from '../../shared/cluster/http/connection.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';
import { openKnownLists } from '../../shared/reconcile/known-objects.ts';
import { openMemory } from '../../shared/reconcile/memory-budget.ts';
import { survey } from '../../shared/reconcile/survey.ts';
import type { Place } from '../reconcile/engine.ts';
import { openStepWorld, type StepWorld } from '../reconcile/step-world.ts';
import type { Live } from '../scenarios/api.ts';
import { permitted } from './disturb.ts';
import { effort, testTimeoutMs } from './runs.ts';

const note = defineKind({
  ...{ group: 'example.org', version: 'v1', kind: 'Note', plural: 'notes' },
  spec: Type.Object({ text: Type.String() }),
  samples: [{ name: 'note', spec: { text: 'x' } }],
  owns: [configMap],
  children: ({ name, spec: { text } }) =>
    text
      .split(',')
      .map((one) => child(configMap, { name: `${name}-${one}`, body: { data: { text } } })),
});

/** Owns resources of the other kind, and children of the same type. */
const book = defineKind({
  ...{ group: 'example.org', version: 'v1', kind: 'Book', plural: 'books' },
  spec: Type.Object({ text: Type.String() }),
  samples: [{ name: 'book', spec: { text: 'x' } }],
  owns: [note, configMap],
  children: ({ name, spec: { text } }) => [
    child(note, { name, body: { spec: { text } } }),
    child(configMap, { name: `of-${name}`, body: { data: { text } } }),
  ],
});

const kinds = [book, note];

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld(kinds);
});
afterAll(() => world.stop());

type Change = (place: Place, at: number) => Promise<unknown>;

const nameAt = (at: number): string => `${'abcde'[at % 5]}`;
const textAt = (at: number): string => ['x', 'x,y', 'z'][at % 3] ?? '';

async function oneOf({ api }: Place, type: ResourceType, at: number): Promise<Live | undefined> {
  const all = await api.list(type);
  return all[at % Math.max(1, all.length)];
}

const ofChild =
  (body: (place: Place, at: number) => object | Promise<object>): Change =>
  async (place, at) => {
    const live = await oneOf(place, configMap, at);
    if (live !== undefined)
      await place.api.patch(configMap, live.metadata.name, await body(place, at));
  };

/** What makes an object look like a child of a resource. */
async function claim(place: Place, at: number) {
  const kind = at % 2 === 0 ? note : book;
  const { name = 'x', uid = 'x' } = (await oneOf(place, kind, at))?.metadata ?? {};
  const owner = { apiVersion: 'example.org/v1', kind: kind.kind, name, uid, controller: true };
  return { ownerReferences: [owner] };
}

const changes: Readonly<Record<string, Change>> = {
  'a Note created': ({ api }, at) => api.create(note, nameAt(at), { spec: { text: textAt(at) } }),
  'a Book created': ({ api }, at) => api.create(book, nameAt(at), { spec: { text: textAt(at) } }),
  'a Note edited': ({ api }, at) => api.patch(note, nameAt(at), { spec: { text: textAt(at) } }),
  'a Book edited': ({ api }, at) => api.patch(book, nameAt(at), { spec: { text: textAt(at) } }),
  'a Note deleted': ({ api }, at) => api.remove(note, nameAt(at)),
  'a Book deleted': ({ api }, at) => api.remove(book, nameAt(at)),
  'a child edited': ofChild((_, at) => ({ data: { text: `${at}` } })),
  'a child without labels': ofChild(() => ({ metadata: { labels: null } })),
  'a child without an owner': ofChild(() => ({ metadata: { ownerReferences: null } })),
  'a child of another owner': ofChild(async (...where) => ({ metadata: await claim(...where) })),
  'a child deleted': async (place, at) => {
    const live = await oneOf(place, configMap, at);
    if (live !== undefined) await place.api.remove(configMap, live.metadata.name);
  },
  'a decoy': async (place, at) => {
    const labels = (await oneOf(place, configMap, at))?.metadata.labels;
    const metadata = { ...(await claim(place, at)), ...(labels === undefined ? {} : { labels }) };
    await place.api.create(configMap, `decoy-${at}`, { metadata });
  },
  'a tick': (place) => place.tick({ kinds }),
};

/** A connection to which lists have pages of two objects, and which refuses the one after `pages` further ones. */
function openSmallPages(connection: Connection) {
  let left = Number.POSITIVE_INFINITY;
  let code = 410;
  return {
    refuseAfter(pages: number, withCode: number): void {
      left = pages;
      code = withCode;
    },
    connection: {
      ...connection,
      async send(call, signal) {
        if (call.path.includes('continue=') && left-- === 0)
          throw new KubeError(call.what, { code, status: {} });
        return connection.send(
          { ...call, path: call.path.replace('limit=500', 'limit=2') },
          signal,
        );
      },
    } satisfies Connection,
  };
}

async function begin() {
  const place = await world.place();
  for (const name of 'abc') await place.api.create(note, name, { spec: { text: 'x,y' } });
  await place.api.create(book, 'd', { spec: { text: 'x' } });
  for (let ticks = 0; ticks < 3; ticks++) await place.tick({ kinds });
  return place;
}

test(
  'wherever lists are cut into pages, and break off, a survey finds with what is known what it finds without',
  async () => {
    const step = fc.record({
      name: fc.constantFrom(...Object.keys(changes)),
      at: fc.nat(30),
      pages: fc.nat(30),
      code: fc.constantFrom(410, 403),
    });
    const story = fc.array(step, { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(story, async (steps) => {
      const place = await begin();
      const { connection, refuseAfter } = openSmallPages(world.connection);
      const cluster = openCluster(connection, { concurrency: 8, deadline: Date.now() + 600_000 });
      const area = { kinds, namespaces: [place.namespace], name: undefined };
      const known = openKnownLists(openMemory()('known'));
      const surveyed = (more: object) =>
        survey({ ...world.run, cluster, memoryBudget: openMemory()('local'), ...more }, area);
      for (const { name, at, pages, code } of steps) {
        await permitted(Promise.resolve(changes[name]?.(place, at)));
        refuseAfter(pages, code);
        await surveyed({ known });
        refuseAfter(Number.POSITIVE_INFINITY, code);
        expect(await surveyed({ known })).toEqual(await surveyed({}));
      }
    });
    await fc.assert(property, effort(200));
  },
  testTimeoutMs,
);
