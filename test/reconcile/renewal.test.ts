import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UnreachableError } from '../../shared/cluster/errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Area } from '../../shared/reconcile/area.ts';
import { openMemory } from '../../shared/reconcile/memory-budget.ts';
import { openRenewals } from '../../shared/reconcile/renewal.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import type { LiveWorld } from '../../shared/reconcile/state.ts';
import { foo } from '../../systems/foo.ts';
import { watchedCluster } from './calls.ts';
import type { Place } from './engine.ts';
import { nowMs, openStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let place: Place;
let areas: readonly Area[];
let foos: readonly LiveWorld[];
let time: number;
let calls: string[];
let limits: number[];
let during: (what: string) => unknown;

beforeAll(async () => {
  world = await openStepWorld([foo]);
});
afterAll(() => world.stop());
beforeEach(async () => {
  place = await world.place();
  areas = [{ kinds: [foo], namespaces: [place.namespace], name: undefined }];
  const spec = (name: string) => ({ spec: { deploymentName: name, replicas: 1 } });
  for (const name of ['f', 'g']) await place.api.create(foo, name, spec(name));
  foos = await Promise.all(
    ['f', 'g'].map(async (name) => (await world.begin(place, foo, name)).world),
  );
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
const open = (
  worlds = foos,
  over: { readonly areas: readonly Area[] } = { areas },
  own = run(),
) => {
  const { currentOf, ...rest } = openRenewals(own, { worlds, readAt: nowMs, ...over });
  return { ...rest, currentOf: (one: LiveWorld | undefined) => currentOf(own, one!) };
};
/** Worlds like the given one that are in no list. */
const copies = (count: number): readonly LiveWorld[] =>
  Array.from({ length: count }, (_, at) => {
    const one = foos[0]!;
    return { ...one, resource: { ...one.resource, uid: `copy-${at}` } };
  });
const surveys = () => calls.filter((what) => what === 'list deployments').length;

test('a run that meets no other surveys nothing again', async () => {
  const { currentOf } = open();
  expect(await currentOf(foos[0])).toEqual({ world: foos[0], freshUntil: nowMs + 10_000 });
  expect(calls).toEqual([]);
});

test('where another run was met, the resources that wait are surveyed, once for all of them', async () => {
  const { currentOf, onOtherRun } = open();
  await place.tick();
  onOtherRun();
  time = 5_000;
  const found = await Promise.all(foos.map(currentOf));
  expect(surveys()).toBe(2);
  expect(calls).not.toContain('get Foo f');
  for (const current of found) {
    expect(current?.freshUntil).toBe(nowMs + 15_000);
    expect([...current!.world.children.values()]).toMatchObject([{ kind: 'Deployment' }]);
  }
});

test('a resource that is taken is not surveyed again', async () => {
  const { currentOf, onOtherRun } = open();
  await currentOf(foos[0]);
  onOtherRun();
  await currentOf(foos[1]);
  expect(calls).toEqual(['list deployments', 'list foos']);
});

test('of many resources one in a hundred is met before they are surveyed', async () => {
  const many = copies(250);
  const { currentOf, onOtherRun } = open(many);
  for (const [at, expected] of [0, 0, 1].entries()) {
    onOtherRun();
    await currentOf(many[at]);
    expect(surveys()).toBe(expected);
  }
});

test('without an area nothing is surveyed', async () => {
  const { currentOf, onOtherRun } = open(foos, { areas: [] });
  onOtherRun();
  expect(await currentOf(foos[0])).toMatchObject({ world: foos[0] });
  expect(calls).toEqual([]);
});

test('whatever is met, a run surveys 32 times', async () => {
  const many = copies(40);
  const { currentOf, onOtherRun } = open(many);
  for (const one of many) {
    onOtherRun();
    await currentOf(one);
  }
  expect(surveys()).toBe(32);
});

test('all surveys together take a tenth of the time, and the one that is begun then', async () => {
  const many = copies(20);
  const { currentOf, onOtherRun } = open(many);
  during = () => {
    // Of 600 s.
    time += 8_000;
  };
  for (const one of many) {
    onOtherRun();
    await currentOf(one);
  }
  // The others are those of single resources that have become old.
  expect(limits.filter((ms) => ms !== 10_000)).toEqual([60_000, 44_000, 28_000, 12_000]);
});

test('after a list that fails resources are taken as they were read, and nothing is surveyed again', async () => {
  const { currentOf, onOtherRun } = open();
  during = (what) => {
    if (what === 'list deployments') throw new UnreachableError('lost');
  };
  for (const one of foos) {
    onOtherRun();
    expect(await currentOf(one)).toEqual({ world: one, freshUntil: nowMs + 10_000 });
  }
  expect(surveys()).toBe(2);
});

test('a child for which there is no memory is taken as it was read', async () => {
  await place.tick();
  await place.api.patch(deployment, 'f', { metadata: { annotations: { a: 'x'.repeat(900) } } });
  const known = (await world.begin(place, foo, 'f')).world;
  const memoryBudget = openMemory(0, 0)('local');
  const { currentOf, onOtherRun } = open([known], { areas }, run({ memoryBudget }));
  onOtherRun();
  expect((await currentOf(known))?.world).toBe(known);
});
