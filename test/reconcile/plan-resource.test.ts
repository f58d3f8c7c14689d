import { beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, persistentVolumeClaim } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { planResource } from '../../shared/resource/plan-resource.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { shop } from '../support/shop.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith, turnWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo, database, shop]);
const place = usePlace(world);
let state: Turn;
let calls: string[];
let atOnce: number;
beforeEach(async () => {
  calls = [];
  atOnce = 0;
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  state = await world.begin(place, foo, 'f');
});

/** Opens the cluster with requests of these names failing. */
function cluster(fails: (what: string) => Error | undefined = () => undefined): Cluster {
  let active = 0;
  return eachCall(world.run.cluster, async (what, call) => {
    calls.push(what);
    const error = fails(what);
    if (error !== undefined) throw error;
    atOnce = Math.max(atOnce, ++active);
    try {
      return await call();
    } finally {
      active--;
    }
  });
}
const plan = (run: Partial<RunParts> = {}) =>
  planResource(turnWith(state, runWith(world.run, { cluster: cluster(), ...run })));

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `old-${at}`);
const refOf = (name: string) => refTo(deployment, name);
/** Lists these names as children in the status. */
function list(all: readonly string[]): void {
  const { resource } = state.world;
  const status = { ...resource.status, children: all.map(refOf) };
  state.world.resource = { ...resource, status };
}
const outcomes = () => [...state.outcomes.values()];
const lost = new UnreachableError('lost');
const forbidden = new KubeError('get', { code: 403, status: { reason: 'Forbidden' } });

test('a resource whose children are all known is planned without a request', async () => {
  expect(await plan()).toMatchObject({ state: 'planned', decisions: [{ verb: 'create' }] });
  expect(calls).toEqual([]);
});

describe('children that are only in the status', () => {
  test('are read by name, and then exist or are absent', async () => {
    await place.api.create(deployment, 'old-0', {
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { containers: [{ name: 'a', image: 'nginx:1' }] },
        },
      },
    });
    list(names(2));
    state.world.reads.set('reference', {});
    expect(await plan()).toMatchObject({ state: 'planned' });
    expect(calls).toEqual(['get Deployment old-0', 'get Deployment old-1']);
    // References must not be older than a child.
    expect(state.world.reads.size).toBe(0);
    expect([...state.world.children.keys()]).toEqual([keyOf(refOf('old-0'))]);
    expect([...state.world.absent]).toEqual([keyOf(refOf('old-1'))]);
    expect(outcomes()).toEqual([]);
  });

  test('each fail if they cannot be read', async () => {
    list(names(16));
    state.world.reads.set('reference', {});
    await plan({ cluster: cluster((what) => (what.endsWith('-3') ? forbidden : undefined)) });
    // No child was found, so the references stay valid.
    expect(state.world.reads.size).toBe(1);
    expect(outcomes()).toEqual([
      {
        child: refOf('old-3'),
        result: 'failed',
        reason: 'Forbidden',
        transient: false,
        message: 'cannot get: Forbidden',
      },
    ]);
    expect(calls).toHaveLength(16);
    expect(atOnce).toBe(4);
    // The status still lists them.
    expect(state.world.resource.status.children).toHaveLength(16);
  });

  test('prove that a desired child existed before even if they cannot be read', async () => {
    list(['a', 'old-0']);
    const planned = await plan({ cluster: cluster(() => forbidden) });
    expect(planned).toMatchObject({ decisions: [{ verb: 'create', existed: true }] });
  });

  test.each([
    {
      reason: 'permanent',
      error: forbidden,
      transient: false,
      remedy: '`reconciler doctor` lists missing permissions',
    },
    { reason: 'transient', error: lost, transient: true, remedy: 'later runs try again' },
  ])(
    'share one failure if they are many, of which 16 are read: $reason',
    async ({ error, transient, remedy }) => {
      list(names(17));
      await plan({ cluster: cluster(() => error) });
      expect(calls).toHaveLength(16);
      expect(outcomes()).toEqual([
        {
          child: { ...refOf(''), name: expect.stringMatching(/^old-/) },
          result: 'failed',
          transient,
          reason: transient ? 'Unreachable' : 'Forbidden',
          message: `status.children names 17 objects that no list returned; each run reads 16 of them by name. Objects that cannot be read are not deleted; ${remedy}`,
        },
      ]);
    },
  );

  test('fail permanently, with the reason of the first, if any failure is permanent', async () => {
    list(names(20));
    let nth = 0;
    await plan({ cluster: cluster(() => (++nth === 8 ? forbidden : lost)) });
    expect(outcomes()).toMatchObject([{ reason: 'Forbidden', transient: false }]);
  });

  test('are read in a different order in each run if they are many', async () => {
    const orders = new Set<string>();
    for (let at = 0; at < 3; at++) {
      calls = [];
      list(names(17));
      state.world.absent.clear();
      await plan({ seed: at });
      orders.add(calls.join());
    }
    expect(orders.size).toBe(3);
  });

  test('are not read once the deadline has passed', async () => {
    list(names(1));
    await plan({ deadline: nowMs });
    expect(calls).toEqual([]);
    expect(outcomes()).toEqual([
      {
        child: refOf('old-0'),
        result: 'failed',
        reason: 'NotFinished',
        transient: true,
        message: "the run's deadline has passed",
      },
    ]);
  });
});

describe('children whose memory limit postponed them', () => {
  const postpone = (all: readonly string[]): void => {
    for (const name of all) {
      const child = {
        ...refOf(name),
        type: deployment,
        uid: name,
        resourceVersion: '1',
        deleting: false,
        controller: undefined,
        labelled: {},
        ours: undefined,
        others: [],
        legacy: false,
        fixed: {},
        readiness: { state: 'Current' as const },
        facts: {},
        unreadable: 'postponed',
        postponed: true as const,
      };
      state.world.children.set(keyOf(child), child);
    }
  };
  const known = (name: string) => state.world.children.get(keyOf(refOf(name)));

  test('are read by name, 16 per run and four at once', async () => {
    postpone(names(18));
    await plan();
    expect(calls).toHaveLength(16);
    expect(atOnce).toBe(4);
    const left = names(18).flatMap((name) => known(name) ?? []);
    expect(left).toHaveLength(2);
    for (const child of left) {
      expect(child.unreadable).toBe('postponed');
      expect(child).not.toHaveProperty('postponed');
    }
  });

  test('stay unreadable if the request fails, and are reported once', async () => {
    postpone(names(1));
    await plan({ cluster: cluster(() => forbidden) });
    expect(known('old-0')).toMatchObject({ unreadable: 'postponed' });
    expect(known('old-0')).not.toHaveProperty('postponed');
    expect(outcomes()).toEqual([]);
  });

  test('delay no others', async () => {
    postpone(['old-0']);
    const { postponed: _, ...read } = known('old-0')!;
    state.world.children.set(keyOf(read), read);
    await plan();
    expect(calls).toEqual([]);
    expect(known('old-0')).toBe(read);
  });
});

describe('objects that a plan depends on', () => {
  test('delay children that depend on them if they cannot be read', async () => {
    const storage = { size: '1Gi' };
    await place.api.create(database, 'db', {
      spec: { image: 'postgres:14', replicas: 1, storage, databaseName: 'd', username: 'u' },
    });
    state = await world.begin(place, database, 'db');
    const claim = keyOf(refTo(persistentVolumeClaim, 'data-db-0'));
    const fails = (what: string) =>
      what.startsWith('get PersistentVolumeClaim') ? forbidden : undefined;
    await plan({ cluster: cluster(fails) });
    expect([...state.world.unread]).toEqual([
      [claim, { reason: 'Forbidden', message: 'cannot get: Forbidden', transient: false }],
    ]);
    expect(calls).toContain('get StatefulSet db');
  });

  test('include the objects that the resource refers to', async () => {
    await place.api.create(shop, 'one', { spec: { settings: 'settings', tokens: [] } });
    state = await world.begin(place, shop, 'one');
    state.world.reads.clear();
    expect(await plan()).toMatchObject({ state: 'planned', decisions: [{ verb: 'block' }] });
    expect(calls).toEqual(['get ConfigMap settings']);
    expect([...state.world.reads.values()]).toEqual([{}]);
  });
});

test('a kind that names another object each time it is called is broken', async () => {
  await place.api.create(shop, 'one', { spec: { settings: 'settings', tokens: [] } });
  let named = 0;
  const restless: Kind = {
    ...shop,
    references() {
      if (++named > 1_000) throw new Error('it was called 1,000 times');
      return [{ type: configMap, namespace: place.namespace, name: `c-${named}` }];
    },
  };
  const { world: known, outcomes } = await world.begin(place, shop, 'one');
  const run = runWith(world.run, { cluster: cluster() });
  expect(await planResource({ run, outcomes, world: { ...known, kind: restless } })).toMatchObject({
    state: 'invalid',
    broken: true,
    message: expect.stringContaining(
      'when called again with the same objects, it refers to different objects',
    ),
  });
  expect(calls).toHaveLength(16);
});

describe('a dry run', () => {
  const dryRunFailsWith = (error: Error) =>
    plan({ cluster: cluster((what) => (what.startsWith('dry-run') ? error : undefined)) });

  test('that fails is left out, unless an error in our own code is the cause', async () => {
    await place.resync({ kinds: [foo] });
    await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
    state = await world.begin(place, foo, 'f');
    await expect(dryRunFailsWith(new TypeError('ours'))).rejects.toThrow('ours');
    expect(await dryRunFailsWith(lost)).toMatchObject({ decisions: [{ verb: 'update' }] });
  });
});

describe('a fight', () => {
  test('is detected in a run for audit events', async () => {
    await place.resync({ kinds: [foo] });
    await place.api.remove(deployment, 'a');
    state = await world.begin(place, foo, 'f');
    const { resource } = state.world;
    const { lastApplied = { children: [] } } = resource.status;
    const repairs = [{ child: 0, at: new Date(nowMs - 5_000).toISOString() }];
    const status = { ...resource.status, lastApplied: { ...lastApplied, repairs } };
    state.world.resource = { ...resource, status };
    expect(await plan()).toMatchObject({ decisions: [{ verb: 'create' }] });
    expect(await plan({ trigger: 'audit' })).toMatchObject({
      decisions: [{ verb: 'defer', reason: 'Contested' }],
    });
  });
});
