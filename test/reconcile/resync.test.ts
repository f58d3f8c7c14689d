import { beforeEach, describe, expect, test } from 'vitest';
import type { LogLine } from '../../infra/log-line.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type ResyncOptions, resync } from '../../shared/resync/resync.ts';
import { fairOrder } from '../../shared/run/fairness.ts';
import { openMemory, overBudget } from '../../shared/run/memory-budget.ts';
import type { Observer } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { condition } from '../scenarios/resources.ts';
import { logInto } from '../support/log.ts';
import { watchedCluster } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { nowMs, outdateStatus } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);
const place = usePlace(world);
let calls: string[];
/** The timeouts of the calls in milliseconds. */
let limits: number[];
let lines: LogLine[];
/** The time since the run began, in milliseconds. */
let time: number;
let during: (what: string) => unknown;
beforeEach(async () => {
  calls = [];
  limits = [];
  lines = [];
  time = 0;
  during = () => undefined;
});

const cluster = (over: Partial<Cluster> = {}): Cluster => {
  const watch = { calls, limits, during: (what: string) => during(what) };
  return watchedCluster({ ...world.run.cluster, ...over }, watch);
};

interface How extends Partial<ResyncOptions> {
  readonly run?: Partial<RunParts>;
  readonly kind?: Kind;
}

/** Runs with 600 s until its deadline. */
function resynced({ run, kind = foo, ...over }: How = {}) {
  const log = logInto(lines, 'INFO');
  const now = () => new Date(nowMs + time);
  return resync(
    runWith(world.run, { log, now, cluster: cluster(), ...run }),
    [{ namespace: place.namespace }],
    {
      area: { kinds: [kind], namespaces: undefined },
      concurrency: 1,
      pruneLimit: () => 10,
      settleSeconds: 0,
      wait: async (ms) => {
        time += ms;
      },
      ...over,
    },
  );
}

const create = (name: string) =>
  place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
const keyOf = (name: string) => `foos.example.com ${place.namespace}/${name}`;
const failing = (what: string, times = 1, ms = 0) => {
  let left = times;
  during = (found) => {
    if (found !== what || left-- <= 0) return;
    time += ms;
    throw new UnreachableError('no response');
  };
};
const countOf = (what: string) => calls.filter((one) => one === what).length;
const ready = async (name = 'f') => condition(await place.api.get(foo, name), 'Ready');

describe('a resync', () => {
  test('brings the selected resources to their desired state, and reports it', async () => {
    for (const name of ['f', 'g']) await create(name);
    during = () => {
      time += 100;
    };
    expect(await resynced()).toMatchObject({
      durationMs: 100 * calls.length,
      resources: { total: 2, unchanged: 0, reconciled: 2 },
      outcomes: { created: 2, failed: 0 },
      statusWrites: 2,
      pruning: 'allowed',
      failures: [],
      undone: [],
      unkept: 0,
    });
    expect(lines.map(({ severity }) => severity)).not.toContain('ERROR');
  });

  test('reports its progress, and that it only waits', async () => {
    for (const name of ['f', 'g']) await create(name);
    const seen: string[] = [];
    const observer: Observer = {
      onProgress: (done, of) => seen.push(`${done} of ${of}`),
      onSettling: () => seen.push('settling'),
    };
    await resynced({ settleSeconds: 2, run: { observer } });
    expect(seen).toEqual(['1 of 2', '2 of 2', 'settling']);
  });

  test('completes lists that respond after the process is stopped', async () => {
    await create('f');
    const stopping = new AbortController();
    during = () => stopping.abort();
    const { resources } = await resynced({ run: { stopped: stopping.signal } });
    expect(resources.total).toBe(1);
  });

  test('takes resources in the order of its seed', async () => {
    const names = Array.from({ length: 8 }, (__, at) => `f${at}`);
    for (const name of names) await create(name);
    const worlds = await Promise.all(
      names.map(async (name) => (await world.begin(place, foo, name)).world),
    );
    await resynced({ run: { seed: 7 } });
    const order = fairOrder(worlds, 7).map(({ resource }) => resource.name);
    const taken = calls.filter((what) => what.startsWith('apply Deployment'));
    expect(taken).toEqual(order.map((name) => `apply Deployment ${name}`));
  });

  test('leaves resources to the next run if the deadline passes', async () => {
    for (const name of ['f', 'g']) await create(name);
    during = (what) => {
      if (what.startsWith('apply Foo/status')) time += 600_000;
    };
    const report = await resynced();
    expect(report.resources.reconciled).toBe(1);
    expect(report.undone).toHaveLength(1);
  });

  test.each([
    [600_000, 300_000],
    [3_000, 2_000],
    [-1, 2_000],
  ])(
    'with %i ms left, gives its lists %i ms, and two thirds of that to lists of children',
    async (left, want) => {
      await resynced({ run: { deadline: nowMs + left } });
      expect(limits.slice(0, 2)).toEqual([want, (want * 2) / 3]);
    },
  );
});

describe('C-5 unrequested deletions', () => {
  const forgetful: Kind = { ...foo, desired: () => [] };
  beforeEach(async () => {
    await create('f');
    await resynced();
  });

  test('are withheld beyond the limit, and the log has the reason', async () => {
    const report = await resynced({ kind: forgetful, pruneLimit: () => 0 });
    expect(report.pruning).toContain('1 of 1 resources would delete children');
    expect(report.outcomes).toMatchObject({ deleted: 0, skipped: 1 });
    expect(lines).toContainEqual(
      expect.objectContaining({
        severity: 'ERROR',
        message: 'deletions are withheld in this run',
        reason: report.pruning,
      }),
    );
    expect(await place.api.find(deployment, 'f')).toBeDefined();
  });

  test('are made up to the limit', async () => {
    const report = await resynced({ kind: forgetful, pruneLimit: () => 1 });
    expect(report).toMatchObject({ pruning: 'allowed', outcomes: { deleted: 1 } });
    expect(await place.api.find(deployment, 'f')).toBeUndefined();
  });
});

describe('the memory of a run', () => {
  test('fails only a resource that does not fit', async () => {
    await create('f');
    const report = await resynced({ run: { memory: openMemory(0, 0)('local') } });
    const error = `it is not reconciled: ${overBudget}`;
    expect(report).toMatchObject({
      unkept: 1,
      resources: { total: 1, unchanged: 0, reconciled: 0 },
      failures: [{ key: keyOf('f'), reason: 'NotFinished', message: error }],
    });
    expect(lines).toContainEqual({
      severity: 'ERROR',
      message: 'resource failed',
      key: keyOf('f'),
      error,
    });
  });

  test.each(['ends', 'fails'])('is released if it %s', async (how) => {
    await create('f');
    const memory = openMemory(1_000_000, 0);
    const wait = async (ms: number) => {
      time += ms;
      if (how === 'fails') throw new Error('the process is gone');
    };
    const run = resynced({ settleSeconds: 1, wait, run: { memory: memory('local') } });
    await run.catch(() => undefined);
    expect(memory('local').admit('any', 500_000)).toBe(true);
  });
});

describe('a resource that used up its time', () => {
  const share = 300_000;
  beforeEach(() => create('f'));

  test('is resumed in a later pass, which does not repair a contested field', async () => {
    failing('apply Deployment f', 1, share);
    const report = await resynced();
    expect(report).toMatchObject({ outcomes: { created: 1, failed: 0 }, failures: [] });
    expect(report.resources.reconciled).toBe(1);
    expect(calls.indexOf('list foos')).toBeLessThan(calls.lastIndexOf('list foos'));
  });

  test('is resumed until it is complete', async () => {
    failing('apply Deployment f', 3, share / 2);
    const first = await resynced({ run: { deadline: nowMs + share } });
    expect(first).toMatchObject({ outcomes: { created: 0, failed: 1 } });
    time = 0;
    failing('apply Deployment f', 2, share / 4);
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'f', replicas: 2 } });
    const second = await resynced({ run: { deadline: nowMs + share / 2 } });
    expect(second.outcomes).toMatchObject({ created: 0, failed: 1 });
  });

  test.each([
    [1_001, 2],
    [1_000, 1],
  ])(
    'is resumed with more than a second left: with %i ms it is surveyed %i times',
    async (left, want) => {
      failing('apply Deployment f', 1, 600_000 - left);
      await resynced();
      expect(countOf('list foos')).toBe(want);
    },
  );

  test('is not resumed if no work is left', async () => {
    during = (what) => {
      if (what === 'apply Deployment f') time += share;
    };
    await resynced();
    expect(countOf('list foos')).toBe(1);
  });

  test('has no further result if it no longer exists', async () => {
    let tries = 0;
    during = async (what) => {
      if (what !== 'apply Deployment f' || ++tries > 1) return;
      time += share;
      await place.api.remove(foo, 'f');
      throw new UnreachableError('no response');
    };
    await resynced();
    expect(countOf('apply Deployment f')).toBe(1);
  });
});

describe('settling', () => {
  /** Lists the seconds after which a run surveyed again. */
  const passes = async (how: How = {}) => {
    const seen: number[] = [];
    during = (what) => {
      if (what === 'list foos') seen.push(time / 1000);
    };
    const report = await resynced({ settleSeconds: 8, ...how });
    return { report, seen };
  };

  test('surveys resources that are not Ready after 1, 2, 4 … s, and writes their status once', async () => {
    await create('f');
    const { report, seen } = await passes();
    expect(seen).toEqual([0, 1, 3, 7, 7.75]);
    expect(report).toMatchObject({ statusWrites: 1, outcomes: { created: 1 }, failures: [] });
    expect(report.resources.reconciled).toBe(1);
    expect((await ready())?.reason).toBe('Progressing');
  });

  test('begins once the status of a new resource is written', async () => {
    await create('f');
    const reasons: unknown[] = [];
    const wait = async (ms: number) => {
      time += ms;
      reasons.push((await ready())?.reason);
    };
    await resynced({ settleSeconds: 2, wait });
    expect(reasons[0]).toBe('Progressing');
  });

  test('waits only for resources that the run wrote', async () => {
    await create('f');
    await resynced();
    await outdateStatus(place, 'f');
    const { seen, report } = await passes();
    expect(report.statusWrites).toBe(1);
    expect(seen).toEqual([0]);
  });

  test('is skipped without time for it', async () => {
    await create('f');
    expect((await passes({ settleSeconds: 0 })).seen).toEqual([0]);
  });

  test('logs a list that fails, and keeps the status', async () => {
    await create('f');
    const error = new KubeError('list', { code: 403, status: { reason: 'Forbidden' } });
    let lists = 0;
    during = (what) => {
      if (what === 'list foos' && ++lists > 1) throw error;
    };
    const report = await resynced({ settleSeconds: 2 });
    expect(lines).toContainEqual({
      severity: 'WARNING',
      message: 'repeated list failed',
      kind: 'foos.example.com',
      error: `${error.message}: grant the permissions that \`reconciler generate rbac\` prints`,
    });
    expect(report).toMatchObject({ statusWrites: 1, incomplete: [] });
    expect((await ready())?.reason).toBe('Progressing');
  });

  test('surveys only the resources it waits for', async () => {
    await create('f');
    await create('g');
    await resynced();
    await place.api.patch(foo, 'g', { spec: { deploymentName: 'g', replicas: 2 } });
    calls = [];
    const from = place.requests().length;
    await resynced({ settleSeconds: 1 });
    const lists = place
      .requests()
      .slice(from)
      .filter(({ verb }) => verb === 'list');
    expect(lists).toHaveLength(4);
    expect(countOf('apply Deployment g')).toBe(1);
  });
});
