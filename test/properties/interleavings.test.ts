import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import { skipPauses } from './pauses.ts';
import { type Edit, faultsNow, race, type World } from './race.ts';
import { effort, isLongRun, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import type { Choose } from './turns.ts';

let testbed: Testbed;
let restoreTimers: () => void;
beforeAll(async () => {
  testbed = await openTestbed();
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

const plain: World = { begun: true, edits: [], drifts: [], settles: false, collections: 0 };
const born: World = { ...plain, begun: false };
const settling: World = { ...born, settles: true };

/** Worlds with the interruptions of all orders that are tried; a long run tries one more. */
const worlds: Readonly<Record<string, readonly [interruptions: number, World]>> = {
  'with a new resource': [1, born],
  'with a new resource that is edited': [1, { ...born, edits: [{ rename: 'b' }] }],
  'with a new resource that settles': [1, { ...settling, collections: 1 }],
  'with a new resource that is edited while it settles': [
    1,
    { ...settling, edits: [{ rename: 'b' }] },
  ],
  'with a new resource whose child is deleted while it settles': [
    1,
    { ...settling, drifts: ['deleted'] },
  ],
  'with a new resource that is renamed and loses labels while it settles': [
    0,
    { ...settling, edits: [{ rename: 'b' }], drifts: ['labels stripped'] },
  ],
  'with a new resource that is deleted while it settles': [
    1,
    { ...settling, edits: ['delete'], collections: 1 },
  ],
  'with a new resource that is edited while a response is lost': [
    1,
    { ...born, edits: [{ rename: 'b' }], losesResponse: true },
  ],
  'with an update': [1, { ...plain, edits: [{ replicas: 2 }] }],
  'with two updates': [2, { ...plain, edits: [{ replicas: 2 }, { replicas: 3 }] }],
  'with a rename': [1, { ...plain, edits: [{ rename: 'b' }] }],
  'with a rename and its reversal': [1, { ...plain, edits: [{ rename: 'b' }, { rename: 'a' }] }],
  'with drift': [1, { ...plain, drifts: ['scaled'] }],
  'with a child deleted by hand': [1, { ...plain, drifts: ['deleted'] }],
  'with a rename and a loss of labels': [
    0,
    { ...plain, edits: [{ rename: 'b' }], drifts: ['labels stripped'] },
  ],
  'with replicas that are dropped': [1, { ...plain, edits: [{ replicas: null }] }],
  'with a deletion': [1, { ...plain, edits: ['delete'], collections: 1 }],
  'with a re-creation': [0, { ...plain, edits: ['delete', 'create'], collections: 1 }],
};

describe('every order of two runs and other writers', () => {
  test.each(Object.keys(worlds))(
    '%s converges',
    async (name) => {
      const [interruptions, world] = worlds[name]!;
      const orders = await explore(interruptions + Number(isLongRun), (choose) =>
        check(world, choose),
      );
      if (isLongRun) console.log(`${name}: ${orders} orders`);
      expect(orders).toBeGreaterThan(5);
    },
    testTimeoutMs,
  );
});

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ rename: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ replicas: fc.constantFrom(2, 3, null) }),
);

const editing: fc.Arbitrary<readonly Edit[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(edit, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<readonly Edit[]>(['delete']) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(edit, { maxLength: 1 }), fc.array(edit, { maxLength: 1 }))
      .map(([before, after]): readonly Edit[] => [...before, 'delete', 'create', ...after]),
  },
);

const anyWorld: fc.Arbitrary<World> = fc.record({
  begun: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  edits: editing,
  drifts: fc.array(
    fc.constantFrom(
      'deleted',
      'scaled',
      'image changed',
      'image changed under our name',
      'labels stripped',
      'managedFields cleared',
    ),
    { maxLength: 2 },
  ),
  settles: fc.boolean(),
  losesResponse: fc.boolean(),
  collections: fc.integer({ min: 0, max: 2 }),
});

test(
  'any world with two runs and other writers converges in any order',
  () =>
    fc.assert(
      fc.asyncProperty(anyWorld, fc.infiniteStream(fc.nat({ max: 59 })), async (world, choices) => {
        await check(world, (waiting) => Number(choices.next().value) % waiting.length);
      }),
      effort(80),
    ),
  testTimeoutMs,
);

/** Every edit raises the replicas, and no other writer sets them: fewer replicas would be from an older edit. */
const isGrowing = ({ edits, drifts }: World): boolean => {
  const desired = edits.map((one) =>
    typeof one === 'object' && 'replicas' in one ? one.replicas : 0,
  );
  return (
    drifts.length === 0 && desired.every((one, at) => one !== null && one > (desired[at - 1] ?? 1))
  );
};

async function check(world: World, choose: Choose): Promise<void> {
  const ground = await testbed.open();
  try {
    const { story, unseen, reports, lost, applied, deletions } = await race(testbed, ground, {
      world,
      choose,
    });
    // Allows for old children, which the garbage collector may delete only after the runs.
    const recreated = world.edits.includes('create');
    expect(lost, story).toEqual([]);
    if (isGrowing(world)) expect(applied, story).toEqual(applied.toSorted((a, b) => a - b));
    expect(Math.max(0, ...deletions.values()), story).toBeLessThanOrEqual(
      1 + world.edits.length + world.drifts.length,
    );
    const failures = reports.flatMap((one) => one.failures);
    // Excuses a deadline in the last pass of a settling run, whose few milliseconds others may use up.
    const excused = failures.filter(
      ({ reason }) =>
        (world.settles && reason === 'NotFinished') ||
        (world.losesResponse && reason === 'Unreachable'),
    );
    if (!recreated) expect(failures, story).toEqual(excused);
    if (world.edits.includes('delete')) await testbed.settle();
    if (unseen || recreated || excused.length > 0) await ground.run();
    expect(await faultsNow(ground), story).toEqual([]);
    await testbed.settle();
    await ground.run();
    const { outcomes, statusWrites } = await ground.run();
    expect(Object.values(outcomes), story).toEqual([0, 0, 0, 0, 0, 0]);
    expect(statusWrites, story).toBe(0);
  } finally {
    await ground.close();
  }
}
