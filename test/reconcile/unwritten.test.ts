import { describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Finding } from '../../shared/plan/finding.ts';
import type { ObservedResource } from '../../shared/plan/observed.ts';
import type { ResourceStatus } from '../../shared/plan/recorded-status.ts';
import { keyOf, refTo } from '../../shared/plan/world.ts';
import { openMemory, weightOf } from '../../shared/reconcile/memory-budget.ts';
import { worldOf } from '../../shared/reconcile/read.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { beginState, type LiveWorld } from '../../shared/reconcile/state.ts';
import {
  closeUnwritten,
  keepUnwritten,
  mayStayUnwritten,
  openUnwritten,
  recallChildren,
  unwrittenIn,
  unwrittenMs,
  withUnwritten,
} from '../../shared/reconcile/unwritten.ts';
import { foo } from '../../systems/foo.ts';
import { fooDeployment } from '../support/children.ts';
import { identity, observeResource } from '../support/observe.ts';
import { createdAt, foo as live } from '../support/resources.ts';

const condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Progressing',
  message: 'soon',
} as const;
const child = refTo(deployment, 'web');
const status: ResourceStatus = {
  observedGeneration: 1,
  children: [child],
  conditions: [{ ...condition, observedGeneration: 1, lastTransitionTime: createdAt }],
};
const progressing: Finding = {
  summary: { state: 'Reconciling', reason: 'Progressing', message: 'soon' },
  ...{ wanted: [], leftovers: [], acted: true },
};

const resourceOf = (over: Partial<ObservedResource> = {}): ObservedResource => ({
  ...observeResource(live()),
  status: {},
  ...over,
});
const worldWith = (resource = resourceOf()): LiveWorld =>
  worldOf({ identity, kind: foo, resource }, new Map());

const atOnce: Partial<Run> = { unwritten: undefined as never };

/** A run of 100 s, at some time in it, that has sent three requests when it is asked. */
function open(over: Partial<Run> = {}) {
  const clock = { ms: 0 };
  const read: string[] = [];
  const base = {
    ...{ identity, deadline: 100_000, now: () => new Date(clock.ms) },
    memoryBudget: openMemory()('local'),
    cluster: {
      traffic: { foos: { requests: 2 }, deployments: { requests: 1 } },
      async get(_: unknown, { name }: { readonly name: string }) {
        read.push(name);
        return fooDeployment();
      },
    },
  } as unknown as Run;
  const run: Run = { ...base, unwritten: openUnwritten({ ...base, ...over }), ...over };
  const mayStay = (world = worldWith(), how: { wrote?: boolean; found?: Finding } = {}) => {
    const state = { ...beginState(world, 0), wrote: how.wrote ?? true };
    return mayStayUnwritten(run, state, { found: how.found ?? progressing, status });
  };
  return { run, clock, read, mayStay };
}

describe('the first status of a resource may be written later', () => {
  test('where the run wrote its children, and they only progress', () => {
    expect(open().mayStay()).toBe(true);
  });

  test.each([
    ['in a run that writes each status at once', open(atOnce).mayStay()],
    ['where the run wrote nothing', open().mayStay(worldWith(), { wrote: false })],
    [
      'where something is left to do',
      open().mayStay(worldWith(), { found: { ...progressing, acted: false } }),
    ],
    ['where one was written before', open().mayStay(worldWith(resourceOf({ status })))],
    ['without memory for it', open({ memoryBudget: openMemory(0, 0)('local') }).mayStay()],
  ])('not %s', (_, may) => {
    expect(may).toBe(false);
  });

  test('not once the run writes what waits', () => {
    const { run, mayStay } = open();
    keepUnwritten(run, worldWith(), status);
    expect(closeUnwritten(run).map(({ resource }) => resource.name)).toEqual(['foo-sample']);
    expect(mayStay(worldWith(resourceOf({ uid: 'other' })))).toBe(false);
  });

  test.each([
    [99_899, true],
    [99_900, false],
  ])('only with 100 ms left: after %i ms', (ms, want) => {
    const { clock, mayStay } = open();
    clock.ms = ms;
    expect(mayStay()).toBe(want);
  });

  test('only with time left to write all that wait', () => {
    const { run, clock, mayStay } = open();
    clock.ms = 400;
    keepUnwritten(run, worldWith(), status);
    // Four requests, this one included, took 400 ms.
    expect(unwrittenMs(run)).toBe(100);
    const other = worldWith(resourceOf({ uid: 'other' }));
    clock.ms = 99_799;
    expect(mayStay(other)).toBe(true);
    clock.ms = 99_800;
    expect(mayStay(other)).toBe(false);
  });

  test.each([
    [14_999, false, true],
    [15_000, false, false],
    [1_000, true, false],
  ])('again, %i ms later and with something written %s: %s', (ms, wrote, want) => {
    const { run, clock, mayStay } = open();
    clock.ms = 500;
    keepUnwritten(run, worldWith(), status);
    clock.ms = 500 + ms;
    keepUnwritten(run, worldWith(), status);
    expect(mayStay(worldWith(resourceOf({ status })), { wrote })).toBe(want);
  });

  test('and is counted against the memory of the run', () => {
    const bytes = weightOf(status);
    const memory = openMemory(3 * bytes, 0);
    const { run, mayStay } = open({ memoryBudget: memory('local') });
    expect(mayStay()).toBe(true);
    expect(memory('local').admit(resourceOf().namespace, bytes)).toBe(false);
    run.memoryBudget.close();
    expect(memory('local').admit(resourceOf().namespace, bytes)).toBe(true);
  });
});

describe('what waits', () => {
  test('is nothing where each status is written at once', () => {
    const { run } = open(atOnce);
    keepUnwritten(run, worldWith(), status);
    expect([unwrittenIn(run), closeUnwritten(run), unwrittenMs(run)]).toEqual([[], [], 0]);
  });

  test('is the latest status, under the resource that it was first kept for, without children', () => {
    const { run } = open();
    const observed = worldWith();
    observed.children.set('any', fooDeployment() as never);
    keepUnwritten(run, observed, status);
    const later = { ...status, observedGeneration: 2 };
    keepUnwritten(run, worldWith(resourceOf({ resourceVersion: 'later' })), later);
    const [waiting, ...more] = [...run.unwritten!.statuses.values()];
    expect(more).toEqual([]);
    expect(waiting).toMatchObject({ status: later, since: 0 });
    expect(waiting?.world.resource).toEqual(observed.resource);
    expect(waiting?.world.children.size).toBe(0);
  });

  test('takes as long to write as requests do since the run began', () => {
    const { run, clock } = open();
    clock.ms = 800;
    keepUnwritten(run, worldWith(), status);
    clock.ms = 8_000;
    keepUnwritten(run, worldWith(), status);
    expect(unwrittenMs(run)).toBe(200);
    keepUnwritten(run, worldWith(resourceOf({ uid: 'other' })), status);
    expect(unwrittenMs(run)).toBe(4_000);
  });
});

describe('a resource that is read while its status waits', () => {
  const kept = (resource = resourceOf()) => {
    const opened = open();
    keepUnwritten(opened.run, worldWith(resource), status);
    return opened.run;
  };
  const waitingIn = (run: Run) => unwrittenIn(run)[0]?.resource.resourceVersion;

  test('has that status, and it is yet to be written', () => {
    const run = kept();
    const read = resourceOf({ resourceVersion: 'later' });
    expect(withUnwritten(run, read)).toEqual({ ...read, status, strayStatus: true });
    expect(waitingIn(run)).toBe('later');
  });

  test('and was edited keeps what it is locked to: the edit is found', () => {
    const run = kept();
    const { resourceVersion } = resourceOf();
    const read = resourceOf({ resourceVersion: 'later', generation: 2 });
    expect(withUnwritten(run, read).status).toBe(status);
    expect(waitingIn(run)).toBe(resourceVersion);
  });

  test('is as it was read once another run has reported on it', () => {
    const read = resourceOf({ status: { ...status, observedGeneration: 7 } });
    expect(withUnwritten(kept(), read)).toBe(read);
  });

  test.each([
    ['another one waits', kept(resourceOf({ uid: 'other' }))],
    ['each status is written at once', open(atOnce).run],
  ])('is as it was read where %s', (_, run) => {
    const read = resourceOf();
    expect(withUnwritten(run, read)).toBe(read);
  });
});

describe('what the run wrote for a resource on which another one has reported', () => {
  const foreign = { ...status, observedGeneration: 7 };
  const recalled = async (resource: ObservedResource, given = status) => {
    const { run, read } = open();
    keepUnwritten(run, worldWith(), given);
    const world = worldWith(resource);
    await recallChildren(run, world);
    return { world, read, left: unwrittenIn(run).length };
  };

  test('is read by name, and its status no longer waits', async () => {
    const { world, read, left } = await recalled(resourceOf({ status: foreign }));
    expect(read).toEqual(['web']);
    expect([...world.children.keys()]).toEqual([keyOf(child)]);
    expect(left).toBe(0);
  });

  test('is not read where the status is still the one that waits', async () => {
    expect(await recalled(resourceOf({ status }))).toMatchObject({ read: [], left: 1 });
  });

  test('is not read for another resource', async () => {
    const other = resourceOf({ uid: 'other', status: foreign });
    expect(await recalled(other)).toMatchObject({ read: [], left: 1 });
  });

  test('is not read again where it is known, nor of a type that the kind does not own', async () => {
    const { run, read } = open();
    const known = worldWith(resourceOf({ status: foreign }));
    known.children.set(keyOf(child), fooDeployment() as never);
    const strange = { apiVersion: 'v1', kind: 'Secret', name: 's' };
    keepUnwritten(run, worldWith(), { ...status, children: [child, strange] });
    await recallChildren(run, known);
    expect(read).toEqual([]);
    expect(unwrittenIn(run)).toEqual([]);
  });

  test('is nothing where the status names no children', async () => {
    const { children: _, ...childless } = status;
    expect(await recalled(resourceOf({ status: foreign }), childless)).toMatchObject({
      ...{ read: [], left: 0 },
    });
  });

  test('is nothing in a run that writes each status at once', async () => {
    const { run, read } = open(atOnce);
    await recallChildren(run, worldWith(resourceOf({ status: foreign })));
    expect(read).toEqual([]);
  });
});
