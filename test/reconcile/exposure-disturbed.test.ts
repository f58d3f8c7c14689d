import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import type { Live } from '../scenarios/api.ts';
import { condition, hold } from '../scenarios/resources.ts';
import { kindsFor } from '../support/config.ts';
import type { Endpoints } from '../support/router.ts';
import { leaks, listOf, misrouted } from './admission.ts';
import { eachCall } from './calls.ts';
import { engineUser, isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const authUrl = 'https://auth.example.com/check';
const appKinds = (settings: { authUrl: string | undefined }) =>
  kindsFor({ ...settings, ingressClass: 'nginx' }).filter(({ kind }) => kind === 'ContainerApp');
const kinds = appKinds({ authUrl });
const app = kinds[0]!;

const engine = useEngine({ controllers: 'paused' });
const place = usePlace(engine);
afterEach(() => engine.cluster.undisturb());

const start = async (endpoints: Endpoints): Promise<void> => {
  await place.api.create(app, 'shop', { spec: { image: 'nginx', endpoints: listOf(endpoints) } });
  await place.resync({ kinds });
};

const edit = (endpoints: Endpoints): Promise<unknown> =>
  place.api.patch(app, 'shop', { spec: { endpoints: listOf(endpoints) } });

const ingresses = (): Promise<readonly Live[]> => place.api.list(ingress);

/** Finds the Ingress that requires these scopes; without scopes, the public one. */
async function nameOf(scopes?: string): Promise<string> {
  const all = await ingresses();
  const found = all.find(({ metadata }) => {
    const address = metadata.annotations?.[authUrlAnnotation];
    return scopes === undefined ? address === undefined : address?.endsWith(`scopes=${scopes}`);
  });
  return found?.metadata.name ?? 'none';
}

/** Runs, and expects every request to be refused, or admitted as at least one of the lists requires. */
async function runSafely(lists: readonly Endpoints[], trigger: 'resync' | 'audit' = 'resync') {
  const seen: string[] = [];
  const through = (cluster: Cluster): Cluster =>
    eachCall(cluster, async (what, call) => {
      const response = await call();
      seen.push(...leaks(await ingresses(), lists).map((leak) => `${what}: ${leak}`));
      return response;
    });
  const report = await place.resync({ kinds, through, trigger });
  expect(seen).toEqual([]);
  return report;
}

const open = async (): Promise<void> => {
  const annotations = { [authUrlAnnotation]: null };
  await place.api.patch(ingress, await nameOf('u'), { metadata: { annotations } });
};

const refuse = (resource: string): void => {
  const effect = { kind: 'status', code: 410 } as const;
  engine.cluster.faults.add({ user: engineUser, verb: 'patch', resource, times: 1000, effect });
};

describe('G-3 an Ingress that', () => {
  const from = { '/': [], '/a': ['u'] };
  const to = { '/c': [] };

  test('lost its labels counts with its paths', async () => {
    await start(from);
    await place.api.patch(ingress, await nameOf(), {
      metadata: { labels: { 'app.kubernetes.io/managed-by': null } },
    });
    await edit(to);
    await runSafely([from, to]);
    await runSafely([from, to]);
    expect(misrouted(await ingresses(), to)).toEqual([]);
  });

  test('lost its owner counts with its paths, and writes that depend on it wait', async () => {
    await start(from);
    await place.api.patch(ingress, await nameOf(), { metadata: { ownerReferences: null } });
    await edit(to);
    for (let resync = 0; resync < 3; resync++) await runSafely([from, to]);
    const live = await place.api.get(app, 'shop');
    expect(condition(live, 'Stalled')?.reason).toBe('ErrResourceExists');
  });

  test.each(['resync', 'audit'] as const)(
    'was opened by hand is closed every time (%s)',
    async (trigger) => {
      await start({ '/a': ['u'] });
      const name = await nameOf('u');
      for (let time = 0; time < 3; time++) {
        const annotations = { [authUrlAnnotation]: null };
        await place.api.patch(ingress, name, { metadata: { annotations } });
        await place.resync({ kinds, trigger });
        expect(leaks(await ingresses(), [{ '/a': ['u'] }])).toEqual([]);
      }
    },
  );
});

describe('G-3 closing does not wait for', () => {
  test.each([
    ['a refused Deployment', 'deployments', { image: 'nginx:2' }],
    ['a refused autoscaler', 'horizontalpodautoscalers', { minReplicas: 2, maxReplicas: 2 }],
  ])('%s', async (_, resource, change) => {
    const from = { '/a': [] };
    await start(from);
    refuse(resource);
    await place.api.patch(app, 'shop', { spec: change });
    await edit({ '/a': ['u'] });
    await runSafely([from, { '/a': ['u'] }]);
    expect(misrouted(await ingresses(), { '/a': ['u'] })).toEqual([]);
    await edit({});
    await runSafely([{ '/a': ['u'] }]);
    expect(await ingresses()).toEqual([]);
  });

  test.each(['deployments', 'services', 'horizontalpodautoscalers'])(
    'a failing list of %s',
    async (resource) => {
      const from = { '/a': ['u'], '/b': [], '/c': [] };
      await start(from);
      const effect = { kind: 'status', code: 503 } as const;
      engine.cluster.faults.add({ user: engineUser, verb: 'list', resource, effect });
      await edit({ '/a': ['u'], '/b': ['u'] });
      await runSafely([from, { '/a': ['u'], '/b': ['u'] }]);
      expect(misrouted(await ingresses(), { '/a': ['u'], '/b': ['u'] })).toEqual([]);
      await edit({});
      await runSafely([{ '/a': ['u'], '/b': ['u'] }]);
      expect(await ingresses()).toEqual([]);
    },
  );

  test('a failing list of another kind', async () => {
    await start({ '/a': ['u'], '/b': [] });
    const effect = { kind: 'status', code: 503 } as const;
    engine.cluster.faults.add({ user: engineUser, verb: 'list', resource: 'foos', effect });
    await edit({});
    const report = await place.resync({ kinds: [...kinds, foo] });
    expect(report.incomplete).toMatchObject([{ kind: 'foos.example.com' }]);
    expect(await ingresses()).toEqual([]);
  });

  test('PRUNE_LIMIT', async () => {
    await start({ '/a': ['u'], '/b': [] });
    await place.api.create(app, 'other', {
      spec: { image: 'nginx', endpoints: listOf({ '/': [] }) },
    });
    await place.resync({ kinds });
    // Gives an unedited resource an unwanted Ingress, too, with a prune limit of 0.
    const [stray] = (await ingresses()).filter(({ metadata }) => metadata.name.startsWith('other'));
    const { labels, ownerReferences } = stray!.metadata;
    const of = {
      metadata: { labels, ownerReferences },
      spec: stray!.spec,
    } as unknown as JsonObject;
    await place.api.create(ingress, 'stray', of);
    await edit({});
    const report = await place.resync({ kinds, pruneLimit: () => 0 });
    expect(report.pruning).toBe('allowed');
    const left = (await ingresses()).map(({ metadata }) => metadata.name);
    expect(left.filter((name) => !name.startsWith('other'))).toEqual([]);
  });

  test('a Service that a finalizer holds', async () => {
    await start({ '/a': ['u'] });
    await place.api.patch(service, 'shop', hold);
    await place.api.remove(service, 'shop');
    await open();
    await runSafely([{ '/a': [] }]);
    expect(leaks(await ingresses(), [{ '/a': ['u'] }])).toEqual([]);
    await edit({});
    await runSafely([{ '/a': ['u'] }]);
    expect(await ingresses()).toEqual([]);
  });

  test('a foreign Service', async () => {
    await start({ '/a': ['u'] });
    await place.api.patch(service, 'shop', { metadata: { ownerReferences: null } });
    await open();
    await runSafely([{ '/a': [] }]);
    expect(leaks(await ingresses(), [{ '/a': ['u'] }])).toEqual([]);
  });

  test('another run, which crashes after it wrote the Deployment', async () => {
    await start({ '/a': ['u'] });
    await open();
    await place.api.remove(deployment, 'shop');
    let isWritten = false;
    const dying = (cluster: Cluster): Cluster => {
      let isDead = false;
      return eachCall(cluster, async (what, call) => {
        if (isDead) throw new Error('dead');
        isDead = what.startsWith('apply Deployment');
        return call();
      });
    };
    const started = Date.now();
    await place.resync({
      kinds,
      deadline: started + 30_000,
      // Lets the deadline pass after the write, so that the run cannot resume the resource.
      now: () => new Date(isWritten ? started + 60_000 : started),
      through: (cluster) =>
        eachCall(cluster, async (what, call) => {
          if (what.startsWith('apply Deployment') && !isWritten) {
            isWritten = true;
            await place.resync({ kinds, through: dying });
          }
          return call();
        }),
    });
    expect(isWritten).toBe(true);
    expect(leaks(await ingresses(), [{ '/a': ['u'] }])).toEqual([]);
  });

  test('AUTH_URL: without it, a path that was opened by hand is closed, and the others stay', async () => {
    await start({ '/a': ['u'], '/c': ['v'] });
    await open();
    await place.resync({ kinds: appKinds({ authUrl: undefined }) });
    expect(leaks(await ingresses(), [{ '/a': ['u'], '/c': ['v'] }])).toEqual([]);
    expect(await nameOf('v')).not.toBe('none');
    expect(await place.api.list(deployment)).toHaveLength(1);
    const events = await place.api.list(eventType);
    expect(events).toMatchObject([{ reason: 'AuthUrlMissing', type: 'Warning' }]);
  });

  test('AUTH_URL: without it, a foreign Ingress is not changed, open or not', async () => {
    await start({ '/a': ['u'] });
    const name = await nameOf('u');
    await open();
    await place.api.patch(ingress, name, { metadata: { ownerReferences: null } });
    const before = await place.api.get(ingress, name);
    await place.resync({ kinds: appKinds({ authUrl: undefined }) });
    expect(await place.api.get(ingress, name)).toEqual(before);
  });
});

/** Creates an Ingress with another path that claims to belong to the resource. */
async function decoy(path: string): Promise<void> {
  const { metadata, spec } = await place.api.get(ingress, await nameOf('u'));
  const { labels, ownerReferences } = metadata;
  const text = JSON.stringify({ metadata: { labels, ownerReferences }, spec });
  const copy = JSON.parse(text.replaceAll('(a(?:', path)) as JsonObject;
  await place.api.create(ingress, 'decoy', copy);
}

const names = async () => (await ingresses()).map(({ metadata }) => metadata.name);

describe('G-3 an Ingress of ours that is not desired', () => {
  const from = { '/': [], '/a': ['u'], '/c': ['v'] };
  beforeEach(() => start(from));

  test('loses its paths while its deletion is held up, and blocks nothing', async () => {
    await decoy('(.*(?:');
    await place.api.patch(ingress, 'decoy', hold);
    await place.api.remove(ingress, 'decoy');
    await edit({ '/a': ['u'] });
    await place.resync({ kinds });
    const live = await place.api.get(ingress, 'decoy');
    expect(misrouted([live], {})).toEqual([]);
    expect(misrouted(await ingresses(), { '/a': ['u'] })).toEqual([]);
    expect(await place.api.get(app, 'shop').then((one) => condition(one, 'Ready')?.reason)).toBe(
      'ChildDeleting',
    );
    const begun = place.requests().length;
    await place.resync({ kinds });
    expect(place.requests().slice(begun).filter(isWriteRequest)).toEqual([]);
  });

  test.each([
    ['is the only failure if its path is beside the others', '(ab(?:', {}],
    ['keeps the others unchanged if its path is above theirs', '(?:(', from],
  ])('and that others write without pause %s', async (_, path, left) => {
    await decoy(path);
    let turn = 0;
    engine.cluster.intercept(async ({ user, verb, resource, namespace }) => {
      const isLook = user === engineUser && verb === 'list' && resource === 'ingresses';
      if (!isLook || namespace !== place.namespace) return;
      const annotations = { [authUrlAnnotation]: `https://auth.example.com/${++turn}?scopes=u` };
      await place.api.patch(ingress, 'decoy', { metadata: { annotations } }, { manager: 'rival' });
    });
    await edit({});
    const report = await place.resync({ kinds });
    engine.cluster.undisturb();
    expect(report.failures).toMatchObject([{ reason: 'Conflict' }]);
    expect(report.failures[0]?.message).toMatch(/^Ingress decoy was changed by .*rival/);
    const others = (await ingresses()).filter(({ metadata }) => metadata.name !== 'decoy');
    expect(misrouted(others, left)).toEqual([]);
    await place.resync({ kinds });
    expect(await names()).toEqual([]);
  });
});

test('G-3 beyond the limit of Ingresses no path is opened or closed', async () => {
  await start({ '/': [], '/a': ['u'] });
  const own = await place.api.get(ingress, await nameOf('u'));
  const crowd = Array.from(
    { length: 300 },
    (_, at): KubeObject => ({
      ...own,
      metadata: { ...own.metadata, name: `decoy-${at}`, uid: `decoy-${at}` },
    }),
  );
  await open();
  await edit({ '/': [], '/a': ['u'], '/c': [] });
  const among = (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => among(cluster.withTimeout(ms)),
    async list(type, selection, each) {
      await cluster.list(type, selection, each);
      if (type === ingress) for (const one of crowd) each(one);
    },
  });
  const report = await place.resync({ kinds, through: among });
  expect(report.failures[0]).toMatchObject({ reason: 'TooManyIngresses' });
  expect(misrouted(await ingresses(), { '/': [], '/a': ['u'] })).toEqual([]);
  expect(condition(await place.api.get(app, 'shop'), 'Stalled')?.reason).toBe('TooManyIngresses');
});
