import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UnreachableError } from '../../shared/cluster/errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Area } from '../../shared/reconcile/area.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { openSpecifications } from '../../shared/reconcile/specifications.ts';
import type { LiveWorld } from '../../shared/reconcile/state.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { watchedCluster } from './calls.ts';
import type { Place } from './engine.ts';
import { nowMs, openStepWorld, outdateStatus, type StepWorld } from './step-world.ts';

let world: StepWorld;
let place: Place;
let foos: readonly LiveWorld[];
let site: LiveWorld;
let areas: readonly Area[];
/** The time since the resources were read, in milliseconds. */
let time: number;
let calls: string[];
let limits: number[];
/** What happens in each call to the cluster. */
let during: (what: string) => unknown;

beforeAll(async () => {
  world = await openStepWorld([foo, website]);
});
afterAll(() => world.stop());
beforeEach(async () => {
  place = await world.place();
  for (const name of ['f', 'g'])
    await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  const worldOf = async (kind: Kind, name: string) => (await world.begin(place, kind, name)).world;
  foos = [await worldOf(foo, 'f'), await worldOf(foo, 'g')];
  site = await worldOf(website, 'w');
  areas = [{ kinds: [foo, website], namespaces: [place.namespace], name: undefined }];
  time = 0;
  calls = [];
  limits = [];
  during = () => undefined;
});

const run = (over: Partial<Run> = {}): Run => {
  const watch = { calls, limits, during: (what: string) => during(what) };
  const cluster = watchedCluster(world.run.cluster, watch);
  return { ...world.run, now: () => new Date(nowMs + time), cluster, ...over };
};
const open = (given: Partial<Parameters<typeof openSpecifications>[1]> = {}, over = run()) => {
  const currentOf = openSpecifications(over, {
    ...{ worlds: [...foos, site], readAt: nowMs, areas },
    ...given,
  });
  return (one: LiveWorld | undefined) => currentOf(over, one!);
};
const fresh = (ms: number) => ({ freshUntil: nowMs + ms });

describe('a specification', () => {
  test('that was read up to ten seconds ago is fresh', async () => {
    const currentOf = open();
    time = 10_000;
    expect(await currentOf(foos[0])).toEqual({ world: foos[0], ...fresh(10_000) });
    expect(calls).toEqual([]);
  });

  test('that was read earlier is listed again, once for all of its kind that wait', async () => {
    await place.api.patch(foo, 'f', { metadata: { labels: { by: 'others' } } });
    const currentOf = open();
    time = 10_001;
    const [first, second] = await Promise.all(foos.map(currentOf));
    expect(calls).toEqual(['list foos', 'list foos']);
    expect(limits).toEqual([10_000]);
    expect(first).toMatchObject(fresh(20_001));
    const { resource } = first!.world;
    expect(resource.resourceVersion).toBe((await place.api.get(foo, 'f')).metadata.resourceVersion);
    expect(resource.spec).toBe(foos[0]!.resource.spec);
    expect(second).toMatchObject(fresh(20_001));
    time = 20_001;
    expect(await currentOf(foos[1])).toMatchObject(fresh(20_001));
    expect(calls).toHaveLength(2);
    time = 20_002;
    await currentOf(foos[1]);
    expect(calls).toHaveLength(4);
  });

  test('that another run has reported on is read again, with the children', async () => {
    const currentOf = open();
    await outdateStatus(place, 'f');
    time = 10_001;
    expect(await currentOf(foos[0])).toMatchObject(fresh(20_001));
    expect(calls).toContain('get Foo f');
    calls = [];
    await currentOf(foos[1]);
    expect(calls).toEqual([]);
  });

  test('of another kind is listed in its own turn', async () => {
    const currentOf = open();
    time = 10_001;
    await currentOf(foos[0]);
    expect(await currentOf(site)).toMatchObject(fresh(20_001));
    expect(calls).toEqual(['list foos', 'list foos', 'list websites']);
  });

  test('is listed beside resources that are new', async () => {
    const more = Array.from({ length: 7 }, (_, at) => `more-${at}`);
    const create = (name: string) =>
      place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
    for (const name of more) await create(name);
    const worlds = await Promise.all(
      more.map(async (name) => (await world.begin(place, foo, name)).world),
    );
    const currentOf = open({ worlds: [...foos, ...worlds] });
    await create('new');
    time = 10_001;
    expect(await currentOf(foos[0])).toMatchObject(fresh(20_001));
    expect(calls).toEqual(['list foos']);
  });

  test('is not listed again where no area was surveyed', async () => {
    const own = run();
    const currentOf = openSpecifications(own, { worlds: foos, readAt: nowMs, areas: [] });
    time = 60_000;
    expect(await currentOf(own, foos[0]!)).toEqual({ world: foos[0], ...fresh(10_000) });
    expect(calls).toEqual([]);
  });

  test('may become ten times as old as listing takes', async () => {
    during = (what) => {
      if (what === 'list foos') time += 1_000;
    };
    const currentOf = open();
    time = 10_001;
    // Two lists, one after the other by this clock.
    expect(await currentOf(foos[0])).toMatchObject(fresh(10_001 + 20_000));
  });
});

describe('a resource that differs when it is listed again', () => {
  const suspend = { metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } } };

  test.each([
    { how: 'edited', act: { spec: { replicas: 2 } }, want: { generation: 2 } },
    { how: 'suspended', act: suspend, want: { suspended: true } },
  ])('because it was $how is read again, with its children', async ({ act, want }) => {
    const currentOf = open();
    await place.api.patch(foo, 'f', act);
    time = 10_001;
    expect(await currentOf(foos[0])).toMatchObject({
      world: { resource: { name: 'f', ...want } },
      ...fresh(20_001),
    });
    expect(calls.slice(2)).toEqual(['list deployments', 'get Foo f']);
    expect(limits).toEqual([10_000, 10_000]);
  });

  test('because it is gone has no turn', async () => {
    const currentOf = open();
    await place.api.remove(foo, 'f');
    time = 10_001;
    expect(await currentOf(foos[0])).toBeUndefined();
    expect(await currentOf(foos[1])).toMatchObject({ world: { resource: { name: 'g' } } });
  });

  test('and for which there is no memory is read again', async () => {
    const memoryBudget = { ...world.run.memoryBudget, admit: () => false };
    const currentOf = open({}, run({ memoryBudget }));
    time = 10_001;
    expect(await currentOf(foos[0])).toMatchObject({ world: { resource: { name: 'f' } } });
    expect(calls.slice(2)).toEqual(['list deployments', 'get Foo f']);
  });

  test('and cannot be read counts as old', async () => {
    const currentOf = open();
    await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
    during = (what) => {
      if (what === 'get Foo f') throw new UnreachableError('lost');
    };
    time = 10_001;
    expect(await currentOf(foos[0])).toEqual({ world: foos[0], freshUntil: 0 });
  });
});

describe('a list that fails', () => {
  test('leaves what was known, and is not repeated for ten seconds', async () => {
    const currentOf = open();
    during = () => {
      throw new UnreachableError('lost');
    };
    time = 10_001;
    expect(await currentOf(foos[0])).toEqual({ world: foos[0], ...fresh(10_000) });
    const asked = calls.length;
    time = 20_001;
    expect(await currentOf(foos[1])).toEqual({ world: foos[1], ...fresh(10_000) });
    expect(calls).toHaveLength(asked);
    during = () => undefined;
    time = 20_002;
    expect(await currentOf(foos[1])).toMatchObject(fresh(30_002));
  });

  test('leaves what an earlier list found', async () => {
    const currentOf = open();
    time = 10_001;
    await currentOf(foos[0]);
    during = () => {
      throw new UnreachableError('lost');
    };
    time = 20_002;
    expect(await currentOf(foos[1])).toMatchObject({
      world: { resource: { name: 'g' } },
      ...fresh(20_001),
    });
  });
});
