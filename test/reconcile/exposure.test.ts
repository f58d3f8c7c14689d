import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { UnreachableError } from '../../shared/cluster/errors.ts';
import { kindsFor } from '../../shared/kinds/all.ts';
import { ingress } from '../../shared/kinds/child-types.ts';
import { authUrlAnnotation, markIn } from '../../shared/kinds/names.ts';
import type { Live } from '../scenarios/api.ts';
import { type Answer, type Ingress, openRouter } from '../support/router.ts';
import { eachCall } from './calls.ts';
import { type Engine, openEngine, type Place } from './engine.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
const kinds = kindsFor(settings).filter(({ kind }) => kind === 'ContainerApp');
const [app] = kinds;

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused' });
});
afterAll(() => engine.stop());

type Endpoints = Readonly<Record<string, readonly string[]>>;

const changes: Record<string, { reason: string; from: Endpoints; to: Endpoints }> = {
  Narrowed: {
    reason: 'both the first and the last place for deletions would leak',
    from: { '/': [], '/a': ['u'] },
    to: { '/a': ['u', 'v'] },
  },
  Swapped: {
    reason: 'each of two paths takes the scopes of the other',
    from: { '/': [], '/a': ['u'] },
    to: { '/': ['u'], '/a': [] },
  },
  Turned: {
    reason: 'three groups, each path moves on',
    from: { '/': ['u'], '/a': ['v'], '/a/b': [] },
    to: { '/': [], '/a': ['u'], '/a/b': ['v'] },
  },
  Closed: {
    reason: 'a private service: all goes, the shallowest first',
    from: { '/': ['u'], '/a': ['v'], '/a/b': ['u'], '/c': [] },
    to: {},
  },
  Opened: {
    reason: 'from private to everything',
    from: {},
    to: { '/': [], '/a': ['v'], '/a/b': ['u', 'v'], '/c': [] },
  },
};

/** The scopes that a list asks of a request; undefined where it lets nobody in. */
function asked(endpoints: Endpoints, request: string): Answer {
  const prefixes = Object.keys(endpoints).filter(
    (path) => path === '/' || request === path || request.startsWith(`${path}/`),
  );
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : endpoints[longest];
}

const requests = ['/', '/a', '/a/b', '/a/b/x', '/a/x', '/ab', '/c', '/c/x'];

const includes = (all: readonly string[], some: Answer): boolean =>
  some?.every((scope) => all.includes(scope)) ?? false;

/** An Ingress as the router sees it: scopes out of the address that authorizes. */
function observe({ metadata, spec }: Live): Ingress {
  const { name, annotations, deletionTimestamp } = metadata;
  const address = annotations?.[authUrlAnnotation];
  const scopes =
    address === undefined ? [] : (new URL(address).searchParams.get('scopes') ?? '').split(' ');
  const { rules } = spec as {
    readonly rules: readonly { readonly http: { readonly paths: readonly { path: string }[] } }[];
  };
  const texts = rules.flatMap(({ http }) => http.paths).map(({ path }) => path);
  const paths = texts.map((path) => path.replace(/^\/[^/(]+\/[^/(]+/, '/ns/app'));
  return {
    name,

    paths,
    scopes,
    precedence: markIn(texts[0] ?? ''),
    deleting: deletionTimestamp !== undefined,
  };
}

const leaks = (ingresses: readonly Live[], { from, to }: { from: Endpoints; to: Endpoints }) => {
  const route = openRouter();
  return requests.flatMap((request) => {
    const actual = route(ingresses.map(observe), request);
    const isFine =
      actual === undefined ||
      includes(actual, asked(from, request)) ||
      includes(actual, asked(to, request));
    return isFine ? [] : [`${request} asks for [${actual?.join()}] only`];
  });
};

const listOf = (endpoints: Endpoints) =>
  Object.entries(endpoints).map(([path, scopes]) => ({ path, scopes }));

interface Failing {
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** Counts writes, fails one of them, and looks after each at who is let in. */
function watched(place: Place, change: { from: Endpoints; to: Endpoints }, failing?: Failing) {
  let writes = 0;
  const seen: string[] = [];
  const through = (cluster: Cluster): Cluster =>
    eachCall(cluster, async (what, call) => {
      const isWrite = /^(apply|patch|remove)/.test(what) && ++writes === failing?.nth;
      if (isWrite && failing?.when === 'before') throw new UnreachableError(`lost: ${what}`);
      const answer = await call();
      seen.push(...leaks(await place.api.list(ingress), change).map((one) => `${what}: ${one}`));
      if (isWrite) throw new UnreachableError(`answer lost: ${what}`);
      return answer;
    });
  return { through, seen, writes: () => writes };
}

async function changed(change: { from: Endpoints; to: Endpoints }): Promise<Place> {
  const place = await engine.place();
  if (app === undefined) throw new Error('there is no ContainerApp');
  const spec = { image: 'nginx', endpoints: listOf(change.from) };
  await place.api.create(app, 'shop', { spec });
  await place.tick({ kinds });
  await place.api.patch(app, 'shop', { spec: { endpoints: listOf(change.to) } });
  return place;
}

async function expectReached(place: Place, { to }: { to: Endpoints }): Promise<void> {
  const state = await place.api.list(ingress);
  expect(leaks(state, { from: to, to })).toEqual([]);
  const groups = new Set(Object.values(to).map((scopes) => scopes.join()));
  expect(state).toHaveLength(groups.size);
  const paths = state.flatMap((live) => observe(live).paths);
  expect(paths).toHaveLength(Object.keys(to).length);
}

describe.each(Object.entries(changes))('G-3 endpoints %s', (_, change) => {
  test(`undisturbed: ${change.reason}`, async () => {
    const place = await changed(change);
    const { through, seen } = watched(place, change);
    const report = await place.tick({ kinds, through });
    expect(report.failures).toEqual([]);
    expect(seen).toEqual([]);
    await expectReached(place, change);
    expect((await place.tick({ kinds })).resources).toMatchObject({ unchanged: 0 + 1 });
  });

  test.each(['before', 'after'] as const)('whichever call fails, %s it was done', async (when) => {
    for (let nth = 1; ; nth++) {
      const place = await changed(change);
      const { through, seen, writes } = watched(place, change, { nth, when });
      await place.tick({ kinds, through });
      const again = watched(place, change);
      await place.tick({ kinds, through: again.through });
      expect([...seen, ...again.seen], `write ${nth} fails`).toEqual([]);
      await expectReached(place, change);
      if (writes() < nth) return;
    }
  });
});
