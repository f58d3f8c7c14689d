import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { stride } from '../properties/runs.ts';
import { kindsFor } from '../support/config.ts';
import type { Endpoints } from '../support/router.ts';
import { leaks, listOf, observe } from './admission.ts';
import { eachCall } from './calls.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
const kinds = kindsFor(settings).filter(({ kind }) => kind === 'ContainerApp');
const [app] = kinds;

const engine = useEngine({ controllers: 'paused' });

const changes: Record<string, { reason: string; from: Endpoints; to: Endpoints }> = {
  Narrowed: {
    reason: 'deleting first and deleting last would both expose a path',
    from: { '/': [], '/a': ['u'] },
    to: { '/a': ['u', 'v'] },
  },
  Swapped: {
    reason: 'two paths exchange their scopes',
    from: { '/': [], '/a': ['u'] },
    to: { '/': ['u'], '/a': [] },
  },
  Turned: {
    reason: 'each path moves to the next of three groups',
    from: { '/': ['u'], '/a': ['v'], '/a/b': [] },
    to: { '/': [], '/a': ['u'], '/a/b': ['v'] },
  },
  Closed: {
    reason: 'all paths are withdrawn, the shallowest first',
    from: { '/': ['u'], '/a': ['v'], '/a/b': ['u'], '/c': [] },
    to: {},
  },
  Opened: {
    reason: 'all paths are exposed',
    from: {},
    to: { '/': [], '/a': ['v'], '/a/b': ['u', 'v'], '/c': [] },
  },
};

interface Failing {
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** Counts writes, fails one of them, and checks after each one which requests are admitted. */
function watched(place: Place, change: { from: Endpoints; to: Endpoints }, failing?: Failing) {
  let writes = 0;
  const seen: string[] = [];
  const through = (cluster: Cluster): Cluster =>
    eachCall(cluster, async (what, call) => {
      const isWrite = /^(apply|patch|remove)/.test(what) && ++writes === failing?.nth;
      if (isWrite && failing?.when === 'before') throw new UnreachableError(`lost: ${what}`);
      const response = await call();
      seen.push(
        ...leaks(await place.api.list(ingress), [change.from, change.to]).map(
          (one) => `${what}: ${one}`,
        ),
      );
      if (isWrite) throw new UnreachableError(`response lost: ${what}`);
      return response;
    });
  return { through, seen, writes: () => writes };
}

async function changed(change: { from: Endpoints; to: Endpoints }): Promise<Place> {
  const place = await engine.place();
  if (app === undefined) throw new Error('there is no ContainerApp');
  const spec = { image: 'nginx', endpoints: listOf(change.from) };
  await place.api.create(app, 'shop', { spec });
  await place.resync({ kinds });
  await place.api.patch(app, 'shop', { spec: { endpoints: listOf(change.to) } });
  return place;
}

async function expectReached(place: Place, { to }: { to: Endpoints }): Promise<void> {
  const state = await place.api.list(ingress);
  expect(leaks(state, [to])).toEqual([]);
  const groups = new Set(Object.values(to).map((scopes) => scopes.join()));
  expect(state).toHaveLength(groups.size);
  const paths = state.flatMap((live) => observe(live).paths);
  expect(paths).toHaveLength(Object.keys(to).length);
}

describe.each(Object.entries(changes))('G-3 endpoints %s', (_, change) => {
  test(`if no call fails: ${change.reason}`, async () => {
    const place = await changed(change);
    const { through, seen } = watched(place, change);
    const report = await place.resync({ kinds, through });
    expect(report.failures).toEqual([]);
    expect(seen).toEqual([]);
    await expectReached(place, change);
    expect((await place.resync({ kinds })).resources).toMatchObject({ unchanged: 0 + 1 });
  });

  test.each(['before', 'after'] as const)(
    'no request is wrongly admitted if any call fails %s it is executed',
    async (when) => {
      // Lets different calls fail before and after execution if only some are tried.
      for (let nth = when === 'before' ? 1 : stride; ; nth += stride) {
        const place = await changed(change);
        const { through, seen, writes } = watched(place, change, { nth, when });
        await place.resync({ kinds, through });
        const again = watched(place, change);
        await place.resync({ kinds, through: again.through });
        expect([...seen, ...again.seen], `write ${nth} fails`).toEqual([]);
        await expectReached(place, change);
        if (writes() < nth) return;
      }
    },
  );
});

/** Defines the kind with its former patterns, which excluded no path. */
const ofOld: Kind = {
  ...(app as Kind),
  desired(resource) {
    const desired = (app as Kind).desired(resource);
    if ('invalid' in desired) return desired;
    const text = (child: Child) =>
      JSON.stringify(child.body).replaceAll(newMarker, '(?!~$1--------)');
    return desired.map((child) => ({ ...child, body: JSON.parse(text(child)) }));
  },
};
const newMarker = /\(\?!~~(.{8})\|\.\*\\\\x3b\)/g;

test.each(Object.entries(changes))(
  'G-3 path patterns of an older version are replaced while endpoints are %s',
  async (_, change) => {
    const place = await engine.place();
    const spec = { image: 'nginx', endpoints: listOf(change.from) };
    await place.api.create(ofOld, 'shop', { spec });
    await place.resync({ kinds: [ofOld] });
    const strings = async () => JSON.stringify(await place.api.list(ingress));
    expect((await strings()).includes('x3b')).toBe(false);
    if (Object.keys(change.from).length > 0) {
      const renewed = watched(place, { from: change.from, to: change.from });
      await place.resync({ kinds, through: renewed.through });
      expect(renewed.seen).toEqual([]);
      expect(await strings()).not.toContain('(?!~public--------');
      await place.resync({ kinds: [ofOld] });
    }
    await place.api.patch(ofOld, 'shop', { spec: { endpoints: listOf(change.to) } });
    const { through, seen } = watched(place, change);
    await place.resync({ kinds, through });
    expect(seen).toEqual([]);
    await expectReached(place, change);
    expect((await strings()).match(/\(\?!~[^~]/g)).toBeNull();
  },
);
