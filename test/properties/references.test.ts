import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, deployment } from '../../index.ts';
import { eachCall } from '../reconcile/calls.ts';
import type { Live } from '../scenarios/api.ts';
import { shop } from '../support/shop.ts';
import { explore } from './explore.ts';
import { skipPauses } from './pauses.ts';
import { effort, isLongRun, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed, type TestNamespace } from './testbed.ts';
import { type Actor, type Choose, takeTurns } from './turns.ts';

let testbed: Testbed;
let restoreTimers: () => void;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [shop] });
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

/** A writer changes the ConfigMap, and another the Deployment, while two runs work. */
interface World {
  /** True if the Shop has been reconciled before, with tag 1. */
  readonly begun: boolean;
  readonly changes: readonly (number | 'delete')[];
  readonly drifts: readonly ('image' | 'labels' | 'delete')[];
}

const name = 'settings';

const writerOf =
  ({ api }: TestNamespace, changes: World['changes']): Actor =>
  async (step) => {
    for (const change of changes)
      await step(`ConfigMap ${change}`, async () => {
        if (change === 'delete') return api.remove(configMap, name);
        const data = { tag: String(change) };
        const live = await api.find(configMap, name);
        return live === undefined
          ? api.create(configMap, name, { data })
          : api.patch(configMap, name, { data });
      });
  };

const drifterOf =
  ({ api }: TestNamespace, drifts: World['drifts']): Actor =>
  async (step) => {
    for (const drift of drifts)
      await step(`Deployment ${drift}`, async () => {
        if ((await api.find(deployment, 'one')) === undefined) return;
        if (drift === 'delete') return api.remove(deployment, 'one');
        if (drift === 'labels') return api.patch(deployment, 'one', { metadata: { labels: null } });
        const containers = [{ name: 'web', image: 'web:drifted' }];
        return api.patch(deployment, 'one', { spec: { template: { spec: { containers } } } });
      });
  };

const imageOf = ({ spec }: Live): string =>
  (spec as unknown as { template: { spec: { containers: [{ image: string }] } } }).template.spec
    .containers[0].image;

async function check({ begun, changes, drifts }: World, choose: Choose): Promise<void> {
  const ground = await testbed.open();
  const { api, run } = ground;
  try {
    await api.create(configMap, name, { data: { tag: '1' } });
    await api.create(shop, 'one', { spec: { settings: name } });
    if (begun) {
      await run();
      await testbed.settle();
      await run();
    }
    const applied: string[] = [];
    const runner: Actor = (step) =>
      run({
        through: (port) =>
          eachCall(port, async (what, act) => {
            const response = await step(what, act);
            if (what === 'apply Deployment one') applied.push(imageOf(response as Live));
            return response;
          }),
      });
    const turns = await takeTurns(
      {
        first: runner,
        second: runner,
        writer: writerOf(ground, changes),
        ...(drifts.length === 0 ? {} : { drifter: drifterOf(ground, drifts) }),
      },
      choose,
    );
    const story = turns.map(({ actor, what }) => `${actor}: ${what}`).join('\n');
    // An older run need not match the version of a child that was deleted meanwhile.
    const isGrowing = !changes.includes('delete') && !drifts.includes('delete');
    if (isGrowing && changes.every((one, at) => one > (changes[at - 1] ?? 1)))
      expect(applied, story).toEqual(applied.toSorted());
    await run();
    await expectWhole(ground, story);
  } finally {
    await ground.close();
  }
}

/** Expects the Deployment to follow the ConfigMap, and a further run to write nothing. */
async function expectWhole({ api, run }: TestNamespace, story: string): Promise<void> {
  const settings = await api.find(configMap, name);
  const live = await api.find(deployment, 'one');
  const status = (await api.get(shop, 'one')).status as unknown as {
    readonly conditions: readonly { readonly type: string; readonly reason: string }[];
  };
  const tag = (settings?.data as { readonly tag: string } | undefined)?.tag;
  if (tag !== undefined) expect(live && imageOf(live), story).toBe(`web:${tag}`);
  else
    expect(status.conditions, story).toContainEqual(
      expect.objectContaining({ type: 'Stalled', reason: 'SettingsMissing' }),
    );
  await testbed.settle();
  await run();
  const { outcomes, statusWrites } = await run();
  const { blocked, ...writes } = outcomes;
  expect(blocked, story).toBe(tag === undefined ? 1 : 0);
  expect([...Object.values(writes), statusWrites], story).toEqual([0, 0, 0, 0, 0, 0]);
}

const plain: World = { begun: true, changes: [], drifts: [] };

/** Worlds with the interruptions of all orders that are tried; a long run tries one more. */
const worlds: Readonly<Record<string, readonly [interruptions: number, World]>> = {
  'with a new resource': [1, { ...plain, begun: false, changes: [2] }],
  'with a change': [1, { ...plain, changes: [2] }],
  'with two changes': [1, { ...plain, changes: [2, 3] }],
  'with a change and its reversal': [1, { ...plain, changes: [2, 1] }],
  'with a deletion': [1, { ...plain, changes: ['delete'] }],
  'with a re-creation': [1, { ...plain, changes: ['delete', 2] }],
  'with a change while the Deployment drifts': [0, { ...plain, changes: [2], drifts: ['image'] }],
  'with a change while the Deployment loses labels': [
    0,
    { ...plain, changes: [2, 3], drifts: ['labels'] },
  ],
};

describe('every order of two runs and a writer of a referenced object', () => {
  test.each(Object.keys(worlds))(
    '%s converges',
    async (world) => {
      const [interruptions, given] = worlds[world]!;
      const orders = await explore(interruptions + Number(isLongRun), (choose) =>
        check(given, choose),
      );
      if (isLongRun) console.log(`${world}: ${orders} orders`);
      expect(orders).toBeGreaterThan(5);
    },
    testTimeoutMs,
  );
});

const anyWorld: fc.Arbitrary<World> = fc.record({
  begun: fc.boolean(),
  changes: fc.array(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant<'delete'>('delete')), {
    maxLength: 4,
  }),
  drifts: fc.array(fc.constantFrom('image', 'labels', 'delete'), { maxLength: 2 }),
});

test(
  'any world with a referenced object converges in any order',
  () =>
    fc.assert(
      fc.asyncProperty(anyWorld, fc.infiniteStream(fc.nat({ max: 59 })), async (world, choices) => {
        const whole = withoutMissing(world);
        await check(whole, (waiting) => Number(choices.next().value) % waiting.length);
      }),
      effort(80),
    ),
  testTimeoutMs,
);

/** Drops deletions of an object that does not exist. */
const withoutMissing = (world: World): World => ({
  ...world,
  changes: world.changes.filter((one, at) => one !== 'delete' || world.changes[at - 1] !== one),
});
