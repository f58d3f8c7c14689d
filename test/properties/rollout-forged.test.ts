import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../scenarios/api.ts';
import { skipPauses } from './pauses.ts';
import { kind, openFleet, versionOf } from './rollout-fleet.ts';
import { effort, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';

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

const theirs = ['t1', 't2', 't3', 't4', 't5', 't6'];
const ticks = 4;
const slots = 2;

/** A condition as a user with permissions on `/status` in one namespace forges it. */
interface Forgery {
  readonly reason: string;
  /** Seconds from now. */
  readonly at: number;
  readonly manager: string;
  /** True if it is sent as a server-side apply, otherwise as a patch. */
  readonly isApply: boolean;
}

const ourManager = 'serverless-reconciler-rollout';
const year = 31_536_000;
const forgery: fc.Arbitrary<Forgery> = fc.record({
  reason: fc.constantFrom('Waiting', 'Starting', 'RollingOut', 'RolloutHalted', 'RolledOut'),
  at: fc.constantFrom(5, 973 * year, -5, -3600, -20 * year),
  manager: fc.constantFrom('kubectl', 'serverless-reconciler', 'kubectl-edit'),
  isApply: fc.boolean(),
});
/** Forgeries with the name of our own manager, except marks that take a slot in the rollout. */
const imitation: fc.Arbitrary<Forgery> = fc.record({
  reason: fc.constantFrom('Waiting', 'RolledOut'),
  at: fc.constantFrom(5, 973 * year, -5, -3600, -20 * year),
  manager: fc.constant(ourManager),
  isApply: fc.constant(true),
});

async function forge(api: Api, name: string, one: Forgery): Promise<void> {
  const time = new Date(Date.now() + one.at * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  const mark = {
    type: 'RolloutPending',
    status: one.reason === 'RolledOut' ? 'False' : 'True',
    reason: one.reason,
    message: 'forged (0123456789ab)',
    observedGeneration: 1,
    lastTransitionTime: time,
  };
  if (one.isApply) {
    await api.applyStatus(kind, name, { status: { conditions: [mark] } }, one.manager);
    return;
  }
  const { status } = await api.get(kind, name);
  const others = (status?.conditions ?? []).filter(({ type }) => type !== mark.type);
  const how = { subresource: 'status', manager: one.manager } as const;
  await api.patch(kind, name, { status: { conditions: [...others, mark] } }, how);
}

interface Story {
  /** Forgeries before each tick, by the name of the resource. */
  readonly forged: readonly (Readonly<Record<string, Forgery>> | undefined)[];
  readonly mine: readonly string[];
  readonly broken: readonly string[];
  /** True if the code changes nothing in the forger's resources. */
  readonly isSpared: boolean;
}

/** Returns how many resources of the others are on the new version after each resync. */
async function play({ forged, mine, broken, isSpared }: Story) {
  const [others, own] = [await testbed.open(), await testbed.open()];
  try {
    const fleet = openFleet({ ground: others, names: theirs, slots, broken });
    const evil = openFleet({ ground: own, names: mine, slots, broken });
    await fleet.create();
    await evil.create();
    if (isSpared) {
      await evil.resync('v2', undefined, { rollout: undefined as never });
      for (const name of mine) await evil.ready(name);
      await evil.resync('v2', undefined, { rollout: undefined as never });
    }
    const namespaces = [
      await namespaceOf(others.api, theirs[0]),
      await namespaceOf(own.api, mine[0]),
    ];
    const isNew = (images: readonly string[]) => images.filter((one) => one === 'v2').length;
    const counts: { theirs: number; mine: number }[] = [];
    for (const acts of forged) {
      for (const [name, one] of Object.entries(acts ?? {})) await forge(own.api, name, one);
      await fleet.resync('v2', undefined, { kinds: [versionOf('v2')], namespaces });
      counts.push({ theirs: isNew(await fleet.images()), mine: isNew(await evil.images()) });
      for (const name of theirs) await fleet.ready(name);
      for (const name of mine) await evil.ready(name);
    }
    return { counts, left: await evil.reasons() };
  } finally {
    await others.close();
    await own.close();
  }
}

const namespaceOf = async (api: Api, name = ''): Promise<string> =>
  (await api.get(kind, name)).metadata.namespace ?? '';

const spared = ['x', 'y'];
const forgeries = (one: fc.Arbitrary<Forgery>, names: readonly string[]) =>
  fc.array(
    fc.option(fc.record(Object.fromEntries(names.map((name) => [name, one]))), { nil: undefined }),
    { minLength: ticks, maxLength: ticks },
  );

test(
  'law 16 forged marks of resources outside the rollout change nothing in other namespaces, and are removed',
  () =>
    fc.assert(
      fc.asyncProperty(forgeries(forgery, spared), fc.boolean(), async (forged, isBroken) => {
        const story = { mine: spared, broken: isBroken ? ['v2'] : [], isSpared: true };
        const { counts, left } = await play({ ...story, forged: [...forged, undefined] });
        const want = isBroken ? [1, 1, 1, 1, 1] : [1, 1, 3, 3, 5];
        expect(counts.map((one) => one.theirs)).toEqual(want);
        expect(left).toEqual(['', '']);
      }),
      effort(40),
    ),
  testTimeoutMs,
);

test(
  'law 20 forged marks of waiting resources do not raise the budget of other namespaces',
  () =>
    fc.assert(
      fc.asyncProperty(forgeries(fc.oneof(forgery, imitation), spared), async (forged) => {
        const { counts } = await play({ mine: spared, broken: ['v2'], isSpared: false, forged });
        // Allows one of each namespace, because a forger can hide the rollout of its own resource.
        for (const one of counts) expect(one.theirs).toBeLessThanOrEqual(1);
      }),
      effort(40),
    ),
  testTimeoutMs,
);
