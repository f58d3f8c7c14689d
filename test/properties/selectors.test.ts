import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMap } from '../../index.ts';
import { eachCall } from '../reconcile/calls.ts';
import type { Live } from '../scenarios/api.ts';
import { board } from '../support/board.ts';
import { skipPauses } from './pauses.ts';
import { effort, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed, type TestNamespace } from './testbed.ts';
import { type Actor, takeTurns } from './turns.ts';

let testbed: Testbed;
let restoreTimers: () => void;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [board] });
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

/** A change of one ConfigMap: its label and its text, or its deletion. */
interface Change {
  readonly name: string;
  readonly app: 'shop' | 'web' | undefined;
  readonly text: string;
  readonly isDeleted: boolean;
}

const changes = fc.array(
  fc.record<Change>({
    name: fc.constantFrom('a', 'b', 'c'),
    app: fc.constantFrom('shop', 'web', undefined),
    text: fc.constantFrom('1', '2'),
    isDeleted: fc.boolean(),
  }),
  { maxLength: 6 },
);

const apply = async ({ api }: TestNamespace, { name, app, text, isDeleted }: Change) => {
  const live = await api.find(configMap, name);
  if (live !== undefined) await api.remove(configMap, name);
  if (isDeleted) return;
  await api.create(configMap, name, {
    metadata: { labels: app === undefined ? {} : { app } },
    data: { text },
  });
};

const writerOf =
  (ground: TestNamespace, some: readonly Change[]): Actor =>
  async (step) => {
    for (const one of some) await step(`change ${one.name}`, () => apply(ground, one));
  };

/** Returns what a Board should list, computed from the live ConfigMaps. */
async function expectedIn({ api }: TestNamespace): Promise<string> {
  const live: readonly Live[] = await api.list(configMap);
  return live
    .filter(({ metadata }) => metadata.labels?.app === 'shop')
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(
      (one) =>
        `${one.metadata.namespace}/${one.metadata.name}=${(one.data as { text: string }).text}`,
    )
    .join(' ');
}

test(
  'two runs and a writer of selected objects converge in any order',
  () =>
    fc.assert(
      fc.asyncProperty(
        changes,
        changes,
        fc.infiniteStream(fc.nat({ max: 59 })),
        async (before, during, choices) => {
          const ground = await testbed.open();
          try {
            for (const one of before) await apply(ground, one);
            await ground.api.create(board, 'one', { spec: { labels: { app: 'shop' } } });
            const runner: Actor = (step) =>
              ground.run({ through: (port) => eachCall(port, (what, act) => step(what, act)) });
            const turns = await takeTurns(
              { first: runner, second: runner, writer: writerOf(ground, during) },
              (waiting) => Number(choices.next().value) % waiting.length,
            );
            const story = turns.map(({ actor, what }) => `${actor}: ${what}`).join('\n');
            await ground.run();
            const list = await ground.api.get(configMap, 'one-list');
            expect((list.data as { notes: string }).notes, story).toBe(await expectedIn(ground));
            await ground.run();
            const { outcomes, statusWrites } = await ground.run();
            expect([...Object.values(outcomes), statusWrites], story).toEqual([
              0, 0, 0, 0, 0, 0, 0,
            ]);
          } finally {
            await ground.close();
          }
        },
      ),
      effort(60),
    ),
  testTimeoutMs,
);
