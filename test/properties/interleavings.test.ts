import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import { skipPauses } from './pauses.ts';
import { type Edit, faultsNow, race, type World } from './race.ts';
import { effort, isLongRun, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';
import type { Choose } from './turns.ts';

let testbed: Testbed;
let takeBack: () => void;
beforeAll(async () => {
  testbed = await openTestbed();
  takeBack = skipPauses();
});
afterAll(() => {
  takeBack();
  testbed.stop();
});

const plain: World = { begun: true, edits: [], drifts: [], settles: false, collections: 0 };
const born: World = { ...plain, begun: false };
const settling: World = { ...born, settles: true };

/** The interruptions in the orders that are all tried; one more in a long run. */
const worlds: Readonly<Record<string, readonly [interruptions: number, World]>> = {
  'of a new resource': [1, born],
  'of a new resource that is edited': [1, { ...born, edits: [{ rename: 'b' }] }],
  'of a new resource that settles': [1, { ...settling, collections: 1 }],
  'of a new resource that is edited while it settles': [
    1,
    { ...settling, edits: [{ rename: 'b' }] },
  ],
  'of a new resource whose child is deleted while it settles': [
    1,
    { ...settling, drifts: ['deleted'] },
  ],
  'of a new resource that is renamed while the labels go and it settles': [
    0,
    { ...settling, edits: [{ rename: 'b' }], drifts: ['labels stripped'] },
  ],
  'of a new resource that is deleted while it settles': [
    1,
    { ...settling, edits: ['delete'], collections: 1 },
  ],
  'of an update': [1, { ...plain, edits: [{ replicas: 2 }] }],
  'of two updates': [2, { ...plain, edits: [{ replicas: 2 }, { replicas: 3 }] }],
  'of a rename': [1, { ...plain, edits: [{ rename: 'b' }] }],
  'of a rename and back': [1, { ...plain, edits: [{ rename: 'b' }, { rename: 'a' }] }],
  'of drift': [1, { ...plain, drifts: ['scaled'] }],
  'of a child deleted by hand': [1, { ...plain, drifts: ['deleted'] }],
  'of a rename while the labels go': [
    0,
    { ...plain, edits: [{ rename: 'b' }], drifts: ['labels stripped'] },
  ],
  'of replicas given up': [1, { ...plain, edits: [{ replicas: null }] }],
  'of a deletion': [1, { ...plain, edits: ['delete'], collections: 1 }],
  'of a re-creation': [0, { ...plain, edits: ['delete', 'create'], collections: 1 }],
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
  collections: fc.integer({ min: 0, max: 2 }),
});

test(
  'any world in any order converges',
  () =>
    fc.assert(
      fc.asyncProperty(anyWorld, fc.infiniteStream(fc.nat({ max: 59 })), async (world, choices) => {
        await check(world, (waiting) => Number(choices.next().value) % waiting.length);
      }),
      effort(80),
    ),
  testTimeoutMs,
);

/** Every edit raises the replicas, and no other writer sets them: fewer would be from an older edit. */
const isGrowing = ({ edits, drifts }: World): boolean => {
  const wanted = edits.map((one) =>
    typeof one === 'object' && 'replicas' in one ? one.replicas : 0,
  );
  return (
    drifts.length === 0 && wanted.every((one, at) => one !== null && one > (wanted[at - 1] ?? 1))
  );
};

async function check(world: World, choose: Choose): Promise<void> {
  const ground = await testbed.open();
  try {
    const { story, unseen, reports, lost, applied, deletions } = await race(testbed, ground, {
      world,
      choose,
    });
    // Where the garbage collector came after the runs, what is left of the old one was in the way.
    const recreated = world.edits.includes('create');
    expect(lost, story).toEqual([]);
    if (isGrowing(world)) expect(applied, story).toEqual(applied.toSorted((a, b) => a - b));
    expect(Math.max(0, ...deletions.values()), story).toBeLessThanOrEqual(
      1 + world.edits.length + world.drifts.length,
    );
    const failures = reports.flatMap((one) => one.failures);
    // The last look of a run that settles has milliseconds, which others may use up.
    const late = world.settles ? failures.filter(({ reason }) => reason === 'NotFinished') : [];
    if (!recreated) expect(failures, story).toEqual(late);
    if (world.edits.includes('delete')) await testbed.settle();
    if (unseen || recreated || late.length > 0) await ground.run();
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
