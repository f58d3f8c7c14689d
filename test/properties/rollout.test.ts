import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Around } from '../reconcile/calls.ts';
import { explore } from './explore.ts';
import { skipPauses } from './pauses.ts';
import { kind, openFleet, policy, versionOf } from './rollout-fleet.ts';
import { effort, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import { type Actor, takeTurns } from './turns.ts';

let testbed: Testbed;
let restoreTimers: () => void;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [kind] });
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

const names = ['a', 'b', 'c', 'd', 'e'];
const most = policy.budget(names.length);
type Fleet = ReturnType<typeof openFleet>;

/** Acts concurrently with others, call by call. */
type Act =
  | { readonly act: 'resync'; readonly image: string; readonly dies?: number }
  | { readonly act: 'resyncs'; readonly image: string }
  | { readonly act: 'part'; readonly image: string }
  | { readonly act: 'edit'; readonly name: string; readonly size: number }
  | { readonly act: 'ready'; readonly names: readonly string[] }
  | { readonly act: 'wait' }
  | { readonly act: 'pause' }
  | { readonly act: 'resume' };

function actorOf(fleet: Fleet, one: Act): Actor {
  switch (one.act) {
    case 'resync': {
      let calls = 0;
      return (step) =>
        fleet
          .resync(one.image, (what, call) => {
            // Calls after its death do not reach the server.
            const isDead = one.dies !== undefined && ++calls > one.dies;
            return isDead ? Promise.reject(new Error('dead')) : step(what, call);
          })
          .catch(() => undefined);
    }
    case 'resyncs':
      return async (step) => {
        await fleet.resync(one.image, step);
        await fleet.resync(one.image, step);
      };
    case 'part':
      return (step) => fleet.part(one.image, step);
    case 'edit':
      return (step) => step(`edit ${one.name}`, () => fleet.edit(one.name, one.size));
    case 'ready':
      return async (step) => {
        for (const name of one.names) await step(`ready ${name}`, () => fleet.ready(name));
      };
    case 'wait':
      return async () => fleet.pass(90_000);
    case 'pause':
      return (step) => step('pause', () => fleet.setPause('paused'));
    case 'resume':
      return (step) => step('resume', () => fleet.setPause(null));
  }
}

async function play(
  fleet: Fleet,
  acts: readonly Act[],
  choices: IterableIterator<number>,
): Promise<readonly string[]> {
  const actors = Object.fromEntries(
    acts.map((one, at) => [`${at} ${one.act}`, actorOf(fleet, one)]),
  );
  const turns = await takeTurns(actors, (waiting) => Number(choices.next().value) % waiting.length);
  return turns.map(({ actor, what }) => `${actor}: ${what}`);
}

/** Resyncs one version, whose pods all become ready, until all resources have it. */
async function finish(fleet: Fleet, image: string): Promise<void> {
  for (let resyncs = 0; resyncs < 30; resyncs++) {
    await fleet.resync(image);
    for (const name of names) await fleet.ready(name);
    fleet.pass(60_001);
    const images = await fleet.images();
    const marks = await fleet.reasons();
    if (images.every((one) => one === image) && marks.every(isDone)) return;
  }
}

const isDone = (mark: string): boolean => mark === 'RolledOut' || mark === '';

const anyName = fc.constantFrom(...names);
const anyImage = fc.constantFrom('v2', 'v2', 'v2', 'v3');
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    act: fc.constant<'resync'>('resync'),
    image: anyImage,
    dies: fc.option(fc.nat({ max: 40 }), { nil: undefined, freq: 3 }),
  }) as fc.Arbitrary<Act>,
  fc.record({ act: fc.constant<'resync'>('resync'), image: anyImage }),
  fc.record({ act: fc.constant<'part'>('part'), image: anyImage }),
  fc.record({
    act: fc.constant<'edit'>('edit'),
    name: anyName,
    size: fc.integer({ min: 2, max: 4 }),
  }),
  fc.record({ act: fc.constant<'ready'>('ready'), names: fc.subarray(names, { minLength: 1 }) }),
  fc.constant({ act: 'wait' } as const),
  fc.constantFrom({ act: 'pause' } as const, { act: 'resume' } as const),
);

/** The resources that may change while the rollout is paused, because they have begun. */
const begunIn = async (fleet: Fleet): Promise<ReadonlySet<string>> => {
  const marks = await fleet.reasons();
  const begun = names.filter((_, at) =>
    ['Starting', 'RollingOut', 'RolloutHalted'].includes(marks[at] ?? ''),
  );
  return new Set([...begun, ...fleet.disrupted]);
};

test(
  'whatever overlaps, a rollout disrupts no more than the budget, begins nothing while paused, and reaches all resources',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyAct, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 }),
        fc.infiniteStream(fc.nat({ max: 59 })),
        async (rounds, choices) => {
          const ground = await testbed.open();
          const fleet = openFleet({ ground, names });
          const story: string[] = [];
          try {
            await fleet.create();
            let isPaused = false;
            for (const acts of rounds) {
              const begun = await begunIn(fleet);
              story.push(...(await play(fleet, acts, choices)), '');
              expect(fleet.most(), story.join('\n')).toBeLessThanOrEqual(most);
              const steps = acts.filter(({ act }) => act === 'pause' || act === 'resume');
              if (isPaused && steps.every(({ act }) => act === 'pause'))
                expect([...fleet.disrupted].filter((name) => !begun.has(name))).toEqual([]);
              isPaused = steps.length === 0 ? isPaused : steps.every(({ act }) => act === 'pause');
            }
            await fleet.setPause(null);
            await finish(fleet, 'v2');
            expect(fleet.most(), story.join('\n')).toBeLessThanOrEqual(most);
            expect(await fleet.images(), story.join('\n')).toEqual(names.map(() => 'v2'));
            expect((await fleet.reasons()).filter((one) => !isDone(one))).toEqual([]);
          } finally {
            await fleet.setPause(null);
            await ground.close();
          }
        },
      ),
      effort(60),
    ),
  testTimeoutMs,
);

/** Actions before and during two concurrent runs; there is one slot. */
const beginnings: Readonly<
  Record<
    string,
    {
      readonly before: (fleet: Fleet) => Promise<unknown>;
      readonly acts: readonly Act[];
    }
  >
> = {
  'two resyncs that begin a rollout': {
    before: async () => undefined,
    acts: [
      { act: 'resync', image: 'v2' },
      { act: 'resync', image: 'v2' },
    ],
  },
  'two resyncs of two versions that begin a rollout': {
    before: async () => undefined,
    acts: [
      { act: 'resync', image: 'v2' },
      { act: 'resync', image: 'v3' },
    ],
  },
  'a version that has finished a resource, and the next one': {
    async before(fleet) {
      await fleet.resync('v2');
      for (const name of names) await fleet.ready(name);
    },
    acts: [
      { act: 'resyncs', image: 'v2' },
      { act: 'resync', image: 'v3' },
    ],
  },
  'a resync, and a run for an audit event': {
    async before(fleet) {
      await fleet.resync('v2');
      for (const name of names) await fleet.ready(name);
    },
    acts: [
      { act: 'resyncs', image: 'v2' },
      { act: 'part', image: 'v2' },
    ],
  },
};

describe('a rollout in every order of', () => {
  test.each(Object.entries(beginnings))(
    '%s keeps the budget',
    async (_, { before, acts }) => {
      const orders = await explore(1, async (choose) => {
        const ground = await testbed.open();
        const fleet = openFleet({ ground, names: names.slice(0, 3), slots: 1 });
        await fleet.create();
        await before(fleet);
        const actors = acts.map((one, at) => [`${at} ${one.act}`, actorOf(fleet, one)] as const);
        const turns = await takeTurns(Object.fromEntries(actors), choose);
        const story = turns.map(({ actor, what }) => `${actor}: ${what}`).join('\n');
        expect(fleet.most(), story).toBeLessThanOrEqual(1);
        await ground.close();
      });
      expect(orders).toBeGreaterThan(3);
    },
    testTimeoutMs,
  );
});

test('a broken version stops after its first wave, and the previous version restores the changed resources', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names, broken: ['v3'] });
  await fleet.create();
  const changed = async () => (await fleet.images()).filter((image) => image === 'v3').length;
  for (let resyncs = 0; resyncs < 4; resyncs++) await fleet.resync('v3');
  expect([await changed(), await fleet.halts()]).toEqual([1, 0]);
  fleet.pass(policy.timeoutMs + 2000);
  for (let resyncs = 0; resyncs < 3; resyncs++) await fleet.resync('v3');
  expect([await changed(), await fleet.halts()]).toEqual([1, 1]);
  expect((await fleet.reasons()).toSorted()).toEqual([
    'RolloutHalted',
    ...names.slice(1).map(() => 'Waiting'),
  ]);
  // Rolls back: the previous version does not wait, because it changes nothing in waiting resources.
  await fleet.resync('v1');
  expect(await changed()).toBe(0);
  for (const name of names) await fleet.ready(name);
  await fleet.resync('v1');
  expect((await fleet.reasons()).toSorted()).toEqual([
    ...names.slice(1).map(() => ''),
    'RolledOut',
  ]);
  await ground.close();
});

test('a forged Ready condition does not hide that a resource is not Ready in time', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names, broken: ['v2'] });
  await fleet.create();
  const forge = async (): Promise<void> => {
    for (const name of names) {
      const { status } = await ground.api.get(kind, name);
      const conditions = (status?.conditions ?? []).map((one) =>
        one.type === 'Ready' ? { ...one, status: 'True' } : one,
      );
      await ground.api.patch(kind, name, { status: { conditions } }, { subresource: 'status' });
    }
  };
  await fleet.resync('v2');
  fleet.pass(policy.timeoutMs + 2000);
  for (let resyncs = 0; resyncs < 2; resyncs++) {
    await forge();
    await fleet.resync('v2');
    expect(await fleet.reasons()).toContain('RolloutHalted');
  }
  expect(await fleet.halts()).toBe(1);
  await ground.close();
});

test('a version deployed during a rollout begins with one resource', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names, slots: 3 });
  await fleet.create();
  await fleet.resync('v2');
  for (const name of names) await fleet.ready(name);
  fleet.pass(61_000);
  await fleet.resync('v2');
  expect(await fleet.reasons()).toContain('RolledOut');
  for (const name of names) await fleet.ready(name);
  await fleet.resync('v3');
  expect((await fleet.images()).filter((image) => image === 'v3')).toHaveLength(1);
  await ground.close();
});

test('two runs that halt a rollout concurrently post one Event, whichever of them marks the failures', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names });
  await fleet.create();
  await fleet.resync('v2');
  for (const name of names) await fleet.ready(name);
  fleet.pass(61_000);
  for (let resyncs = 0; resyncs < 2; resyncs++) await fleet.resync('v2');
  const marks = await fleet.reasons();
  const [one, other] = names.filter((_, at) => marks[at] === 'RollingOut');
  fleet.pass(policy.timeoutMs + 2000);
  const surveyed = Promise.withResolvers<void>();
  const marked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // The first run surveys, then marks nothing until the second has marked `one`; the second marks `other` last.
  const late = fleet.resync('v2', async (what, act) => {
    if (!what.startsWith('apply Fleet/status')) return act();
    surveyed.resolve();
    await marked.promise;
    return act().finally(() => what.endsWith(` ${other}`) && ended.resolve());
  });
  await surveyed.promise;
  await fleet.resync('v2', async (what, act) => {
    if (what === `apply Fleet/status ${other}`) await ended.promise;
    return act().finally(() => what === `apply Fleet/status ${one}` && marked.resolve());
  });
  await late;
  const halted = (await fleet.reasons()).filter((mark) => mark === 'RolloutHalted');
  expect([halted.length, await fleet.halts()]).toEqual([2, 1]);
  await ground.close();
});

test('during a rollout, edits are applied at once with the new version, while other resources wait', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names });
  await fleet.create();
  await fleet.resync('v2');
  await fleet.edit('c', 3);
  await fleet.edit('d', 3);
  await fleet.part('v2');
  const images = await fleet.images();
  expect([images[2], images[3]]).toEqual(['v2', 'v2']);
  expect(images.filter((image) => image === 'v2').length).toBeLessThanOrEqual(3);
  expect(fleet.most()).toBe(1);
  await ground.close();
});

test('a run over some of the resources begins no rollout, and continues a begun one', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names });
  await fleet.create();
  await fleet.part('v2');
  expect(new Set(await fleet.images())).toEqual(new Set(['v1']));
  expect(new Set(await fleet.reasons())).toEqual(new Set(['Waiting']));
  // The resync crashes before it writes the Deployment of a resource that it has marked.
  const dying = fleet.resync('v2', (what, act) =>
    what.startsWith('apply Deployment') ? Promise.reject(new Error('dead')) : act(),
  );
  await dying;
  expect(await fleet.reasons()).toContain('RollingOut');
  await fleet.part('v2');
  expect((await fleet.images()).filter((image) => image === 'v2')).toHaveLength(1);
  await ground.close();
});

test('a change without disruption does not wait for a rollout', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names });
  await fleet.create();
  await fleet.resync('v1 labelled');
  expect(await fleet.labelled()).toBe(names.length);
  expect(new Set(await fleet.reasons())).toEqual(new Set(['']));
  await ground.close();
});

test('once rollouts are switched off, all resources are changed, and none is marked as waiting', async () => {
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names });
  await fleet.create();
  await fleet.resync('v2');
  const kinds = [versionOf('v2')];
  await ground.runAll({ kinds });
  expect(new Set(await fleet.images())).toEqual(new Set(['v2']));
  for (const name of names) await fleet.ready(name);
  await ground.runAll({ kinds });
  expect((await fleet.reasons()).filter((mark) => mark !== '')).toEqual(['RolledOut']);
  await ground.close();
});

describe('without a rollout a run sends the requests that it would send anyway', () => {
  const changes: Readonly<Record<string, (fleet: Fleet) => Promise<unknown>>> = {
    'at rest': async () => undefined,
    'of an edit': (fleet) => fleet.edit('a', 4),
    'of drift': (fleet) => fleet.scale('a', 5),
    'of a field that others removed': (fleet) => fleet.unset('a'),
  };
  test.each(Object.entries(changes))('%s', async (_, change) => {
    const sent: string[][] = [];
    for (const settings of [{}, { rollout: undefined }]) {
      const ground = await testbed.open();
      const fleet = openFleet({ ground, names });
      await fleet.create();
      await change(fleet);
      const calls: string[] = [];
      for (let resyncs = 0; resyncs < 2; resyncs++) {
        const counted: Around = (what, act) => {
          calls.push(what);
          return act();
        };
        await fleet.resync('v1', counted, settings as object);
        await fleet.ready('a');
      }
      sent.push(calls.toSorted());
      await ground.close();
    }
    expect(sent[0]!.length).toBeGreaterThan(3);
    expect(sent[0]).toEqual(sent[1]);
  });
});
