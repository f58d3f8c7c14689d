import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, isWriteRequest, namespaceType, openEngine } from '../reconcile/engine.ts';
import { type Edit, faultsNow, type RaceWorld, race, settle } from './race.ts';
import { effort, patience } from './runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused' });
});
afterAll(() => engine.stop());

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

const worlds: fc.Arbitrary<RaceWorld> = fc.record({
  begun: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  edits: editing,
  drifts: fc.array(
    fc.constantFrom(
      'deleted',
      'scaled',
      'image changed',
      'labels stripped',
      'managedFields cleared',
    ),
    { maxLength: 2 },
  ),
  collections: fc.integer({ min: 0, max: 2 }),
});

test(
  'any interleaving of runs, edits, drift and controllers converges',
  () =>
    fc.assert(
      fc.asyncProperty(worlds, fc.infiniteStream(fc.nat({ max: 11 })), async (world, choices) => {
        await runRace(world, (waiting) => Number(choices.next().value) % waiting.length);
      }),
      effort(120),
    ),
  patience,
);

async function runRace(world: RaceWorld, choose: Parameters<typeof race>[2]['choose']) {
  engine.cluster.requests.reset();
  const place = await engine.place();
  try {
    const { turns, unseen, reports, lost } = await race(engine, place, { world, choose });
    const story = turns.map(({ actor, what }) => `${actor}: ${what}`);
    const recreated = world.edits.includes('create');
    const failed = reports.some(({ failures, undone }) => failures.length + undone.length > 0);
    expect(lost, story.join('\n')).toEqual([]);
    // The garbage collector may have come after the runs: what is left of the old Foo was in the way.
    if (!recreated && failed) throw new Error(`${JSON.stringify(reports)}\n${story.join('\n')}`);
    if (recreated || world.edits.includes('delete')) await settle(engine);
    if (unseen || recreated) await place.tick();
    expect(await faultsNow(place), story.join('\n')).toEqual([]);
    await settle(engine);
    await place.tick();
    engine.cluster.requests.reset();
    await place.tick();
    expect(place.requests().filter(isWriteRequest), story.join('\n')).toEqual([]);
  } finally {
    await engine.admin.remove(namespaceType, place.namespace);
    await settle(engine);
  }
}
