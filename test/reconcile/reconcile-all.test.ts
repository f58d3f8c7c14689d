import { beforeEach, describe, expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import type { LogLine } from '../../infra/log-line.ts';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type RunOptions, reconcileAll } from '../../shared/resync/reconcile-all.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import type { LiveWorld } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { logInto } from '../support/log.ts';
import { eachCall, watchedCluster } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

/** A kind with blocked ConfigMaps. */
const held = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Held',
  plural: 'helds',
  spec: Type.Object({ count: Type.Integer() }),
  samples: [{ name: 'held', spec: { count: 1 } }],
  owns: [configMap],
  children: ({ name, spec: { count } }) =>
    Array.from({ length: count }, (_, at) =>
      child(configMap, {
        name: `${name}-${at}`,
        body: { data: {} },
        blocked: { reason: 'Held', message: `${at} is held` },
      }),
    ),
});

const world = useStepWorld([foo, held]);
const place = usePlace(world);
let lines: LogLine[];
beforeEach(async () => {
  lines = [];
});

const begun = async (kind: Kind, name: string): Promise<LiveWorld> =>
  (await world.begin(place, kind, name)).world;
const fooNamed = async (name: string): Promise<LiveWorld> => {
  await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  return begun(foo, name);
};
const all = (
  worlds: readonly LiveWorld[],
  run: Partial<RunParts> = {},
  over: Partial<RunOptions> = {},
) => {
  const log = logInto(lines, 'INFO');
  const options = { prune: () => true, concurrency: 1, readAt: nowMs, ...over };
  return reconcileAll(runWith(world.run, { log, ...run }), worlds, options);
};
const keyOf = (name: string, plural = 'foos.example.com') => `${plural} ${place.namespace}/${name}`;

describe('resources that a run reconciles', () => {
  test('each have a result, of which the caller is notified', async () => {
    const progress: string[] = [];
    const onProgress = (done: number, of: number) => progress.push(`${done}/${of}`);
    const worlds = [await fooNamed('f'), await fooNamed('g')];
    const { done, undone } = await all(worlds, { observer: { onProgress } });
    expect(done.map(({ result }) => result.key)).toEqual([keyOf('f'), keyOf('g')]);
    expect(undone).toEqual([]);
    expect(progress).toEqual(['1/2', '2/2']);
  });

  test('are named if the deadline prevents them, and no request is sent for them', async () => {
    const worlds = [await fooNamed('f'), await fooNamed('g')];
    let reads = 0;
    // The clock passes the deadline in the turn of the first resource.
    const now = () => new Date(reads++ < 3 ? nowMs : nowMs + 600_000);
    const calls: string[] = [];
    const cluster = eachCall(world.run.cluster, (what, call) => {
      calls.push(what);
      return call();
    });
    const { done, undone } = await all(worlds, { now, deadline: nowMs + 600_000, cluster });
    expect(done.map(({ result }) => result.key)).toEqual([keyOf('f')]);
    expect(undone).toEqual([keyOf('g')]);
    expect(calls).toContain('apply Foo/status f');
    expect(calls.filter((what) => what.endsWith(' g'))).toEqual([]);
  });

  test('are not written if they no longer exist, and count as done', async () => {
    const progress: string[] = [];
    const onProgress = (done: number, of: number) => progress.push(`${done}/${of}`);
    const worlds = [await fooNamed('f')];
    await place.api.remove(foo, 'f');
    const given = { readAt: nowMs - 60_000 };
    const { done, undone } = await all(worlds, { observer: { onProgress } }, given);
    const result = { outcomes: [], wrote: false, statusWritten: false };
    expect(done).toMatchObject([{ result }]);
    expect(undone).toEqual([]);
    expect(progress).toEqual(['1/1']);
  });

  test.each([
    ['more than ten seconds ago are read again before their first write', 10_001, ['get Foo f']],
    ['ten seconds ago are not read again', 10_000, []],
  ])('and were listed %s', async (_, ago, read) => {
    const worlds = [await fooNamed('f')];
    const calls: string[] = [];
    const cluster = watchedCluster(world.run.cluster, { calls, limits: [], during: () => {} });
    await all(worlds, { cluster }, { readAt: nowMs - ago });
    expect(calls.slice(0, calls.indexOf('apply Deployment f'))).toEqual(read);
  });

  test('each get an equal part of the remaining time, or at least a quarter of a short run', async () => {
    const limits: number[] = [];
    const withTimeout = (ms: number) => {
      limits.push(ms);
      return world.run.cluster.withTimeout(ms);
    };
    const cluster = { ...eachCall(world.run.cluster, (_, call) => call()), withTimeout };
    let passed = 0;
    const now = () => new Date(nowMs + passed);
    const onProgress = () => {
      passed = 30_000;
    };
    const worlds = await Promise.all(['f', 'g', 'h', 'i', 'j'].map(fooNamed));
    await all(worlds, { cluster, now, deadline: nowMs + 150_000, observer: { onProgress } });
    // Every second time limit is that for Events and the status.
    const shares = () => limits.filter((_, at) => at % 2 === 0);
    expect(shares()).toEqual([30_000, 30_000, 40_000, 60_000, 60_000]);
    limits.length = 0;
    passed = 0;
    await all(worlds, { cluster, now, deadline: nowMs + 20_000 });
    expect(shares().slice(0, 2)).toEqual([5_000, 5_000]);
  });

  test('hold no memory afterwards', async () => {
    const memory = openMemory(100_000, 0)('local');
    const one = await fooNamed('f');
    const parts: string[] = [];
    const part = () => {
      const own = memory.part();
      own.count(place.namespace, 90_000);
      const close = () => {
        parts.push('closed');
        own[Symbol.dispose]();
      };
      return { ...own, [Symbol.dispose]: close };
    };
    await all([one], { memory: { ...memory, part } });
    expect(parts).toEqual(['closed']);
    expect(memory.admit(place.namespace, 50_000)).toBe(true);
    expect(one.children.size).toBe(0);
  });
});

describe('the log', () => {
  test('has a line for each change, and no line contains a value', async () => {
    await all([await fooNamed('f')]);
    await place.api.scale(deployment, 'f', 5);
    const { done } = await all([await begun(foo, 'f')]);
    const about = {
      severity: 'INFO',
      key: keyOf('f'),
      child: 'Deployment f',
      object: 'deployment.apps/f',
    };
    expect(lines).toEqual([
      { ...about, message: 'child created', outcome: 'created', origin: 'edit' },
      {
        ...about,
        message: 'child updated',
        outcome: 'updated',
        origin: 'drift',
        changes: [expect.stringMatching(/^spec\.replicas 5 → 1, changed by /)],
      },
    ]);
    expect(done[0]?.result.outcomes).toMatchObject([{ result: 'updated' }]);
    expect(done[0]?.result.outcomes[0]).not.toHaveProperty('differences');
    lines = [];
    await all([await begun(foo, 'f')]);
    expect(lines).toEqual([]);
  });

  test('names the user who deleted a child', async () => {
    await all([await fooNamed('f')]);
    await place.api.remove(deployment, 'f');
    const time = new Date(nowMs).toISOString();
    const cause = { user: 'jane', agent: 'kubectl', time, verb: 'delete', name: 'f' };
    lines = [];
    await all([await begun(foo, 'f')], {
      causes: [{ ...cause, kind: 'Deployment', namespace: place.namespace }],
    });
    expect(lines).toMatchObject([
      {
        message: 'child created',
        changes: ['deleted by jane with kubectl at 12:00 UTC (audit log)'],
      },
    ]);
  });

  test.each([1, 10, 11, 13])('warns of %s children that are blocked', async (count) => {
    await place.api.create(held, 'x', { spec: { count } });
    await all([await begun(held, 'x')]);
    const key = keyOf('x', 'helds.example.org');
    const first = Array.from({ length: Math.min(count, 10) }, (_, at) => ({
      severity: 'WARNING',
      message: 'child blocked',
      key,
      child: `ConfigMap x-${at}`,
      object: `configmap/x-${at}`,
      outcome: 'blocked',
      reason: 'Held',
      error: `${at} is held`,
    }));
    const more = {
      severity: 'WARNING',
      message: 'more children failed or were blocked or skipped',
      key,
    };
    expect(lines).toEqual([...first, ...(count > 10 ? [{ ...more, more: count - 10 }] : [])]);
  });

  test('warns of a child that failed', async () => {
    const one = await fooNamed('f');
    const cluster = eachCall(world.run.cluster, (what, call) =>
      what === 'apply Deployment f' ? Promise.reject(new UnreachableError('lost')) : call(),
    );
    await all([one], { cluster });
    expect(lines).toMatchObject([
      { severity: 'WARNING', message: 'child failed', reason: 'Unreachable', error: 'lost' },
    ]);
  });

  test('warns of a resource that failed', async () => {
    const desired = (): never => {
      throw new Error('broken');
    };
    const one = await fooNamed('f');
    await all([{ ...one, kind: { ...foo, desired } }]);
    expect(lines).toEqual([
      {
        severity: 'WARNING',
        message: 'resource failed',
        key: keyOf('f'),
        error: "the kind's code fails: broken",
      },
    ]);
  });
});
