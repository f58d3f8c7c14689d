import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEdited } from '../../shared/plan/observed/observed-resource.ts';
import { worldOf } from '../../shared/reading/read.ts';
import { fairOrder, firstTryOf, limitOfWrite, shareOf } from '../../shared/run/fairness.ts';
import type { LiveWorld } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { effort } from '../properties/runs.ts';
import { identity, observeResource } from '../support/observe.ts';
import { foo as live } from '../support/resources.ts';

const worldNamed = (at: number, edited: boolean, namespace = 'default'): LiveWorld =>
  worldOf(
    {
      identity,
      unlisted: new Map(),
      now: 0,
      kind: foo,
      resource: observeResource(
        live({
          metadata: { name: `f${at}`, namespace, uid: `uid-${at}`, generation: edited ? 2 : 1 },
        }),
      ),
    },
    new Map(),
  );

const worldsOf = (edited: number, rest: number): readonly LiveWorld[] =>
  Array.from({ length: edited + rest }, (_, at) => worldNamed(at, at < edited));

const nameOf = ({ resource }: LiveWorld): string => resource.name;
const start = Date.parse('2026-11-21T12:00:00Z');

describe('the order of the resources in a run', () => {
  it('contains each resource once, and half of each group in every prefix', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(80), fc.nat(), (edited, rest, k, time) => {
        const work = worldsOf(edited, rest);
        const order = fairOrder(work, start + time);
        expect(order.map(nameOf).toSorted()).toEqual(work.map(nameOf).toSorted());
        const begun = order.slice(0, k);
        const ofEdited = begun.filter(({ resource }) => isEdited(resource)).length;
        expect(ofEdited).toBeGreaterThanOrEqual(Math.min(edited, Math.floor(begun.length / 2)));
        expect(begun.length - ofEdited).toBeGreaterThanOrEqual(
          Math.min(rest, Math.floor(begun.length / 2)),
        );
      }),
      effort(500),
    );
  });
});

/** Builds resources of a group, with the given number in each namespace. */
const spread = (sizes: readonly number[]): readonly LiveWorld[] =>
  sizes.flatMap((size, tenant) =>
    Array.from({ length: size }, (_, at) =>
      worldNamed(1000 * (tenant + 1) + at, false, `team-${tenant}`),
    ),
  );

// Both tests fail if resources are shuffled without regard to their namespaces.
describe('namespaces', () => {
  it('take turns, so that each has its share in every prefix', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.nat(120), fc.nat(), (given, k, time) => {
        const begun = fairOrder(spread(given), start + time).slice(0, k);
        for (const [tenant, size] of given.entries()) {
          const own = begun.filter(({ resource }) => resource.namespace === `team-${tenant}`);
          expect(own.length).toBeGreaterThanOrEqual(
            Math.min(size, Math.floor(begun.length / given.length)),
          );
        }
      }),
      effort(300),
    );
  });

  it('delay each other by one resource per turn, however many resources one of them has', () => {
    const work = spread([900, 1, 1]);
    const places = Array.from({ length: 40 }, (_, resync) => {
      const order = fairOrder(work, start + resync * 600_000);
      return order.flatMap(({ resource }, at) => (resource.namespace === 'team-0' ? [] : [at]));
    });
    expect(Math.max(...places.flat())).toBe(2);
    // The first turn differs between runs.
    expect(new Set(places.map(([first]) => first))).toEqual(new Set([0, 1]));
  });
});

interface Run {
  readonly concurrency: number;
  readonly totalMs: number;
  /** The time for a healthy resource. */
  readonly healthyMs: number;
}

/** Lists the healthy resources that one run serves if the others use all of their time. */
function servedIn(
  order: readonly LiveWorld[],
  stuck: ReadonlySet<string>,
  { concurrency, totalMs, healthyMs }: Run,
): readonly string[] {
  const freeAt = Array.from({ length: concurrency }, () => 0);
  return order.flatMap((world, at) => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const now = freeAt[slot]!;
    if (now >= totalMs) return [];
    const waiting = order.length - at;
    const share = shareOf({ left: totalMs - now, total: totalMs, waiting, concurrency });
    const isStuck = stuck.has(nameOf(world));
    freeAt[slot] = now + (isStuck ? share : Math.min(share, healthyMs));
    return isStuck || healthyMs > share ? [] : [nameOf(world)];
  });
}

describe('the time for a resource in a run', () => {
  const minute = { left: 60_000, total: 60_000, concurrency: 2 };

  it.each([
    { reason: 'an equal part', given: { ...minute, waiting: 8 }, want: 15_000 },
    {
      reason: 'an equal part of the time that is left',
      given: { ...minute, left: 48_000, waiting: 8 },
      want: 12_000,
    },
    { reason: 'at most half of the run', given: { ...minute, waiting: 3 }, want: 30_000 },
    { reason: 'at least ten seconds', given: { ...minute, waiting: 100 }, want: 10_000 },
    {
      reason: 'at least a quarter of a short run',
      given: { ...minute, total: 20_000, left: 2_000, waiting: 100 },
      want: 5_000,
    },
  ])('is $reason', ({ given, want }) => {
    expect(shareOf(given)).toBe(want);
  });
});

const run = fc.record({
  concurrency: fc.constantFrom(1, 2, 8, 64),
  totalMs: fc.constantFrom(5_000, 30_000, 300_000, 3_500_000),
  healthyMs: fc.integer({ min: 1, max: 1_000 }),
});

describe('fairness', () => {
  it('serves every healthy resource in each run if there are four times the concurrency', () => {
    fc.assert(
      fc.property(
        run,
        fc.nat(256),
        fc.nat(256),
        fc.infiniteStream(fc.boolean()),
        (given, a, b, coins) => {
          const work = worldsOf(a, b).slice(0, 4 * given.concurrency);
          const stuck = new Set(work.filter(() => coins.next().value).map(nameOf));
          const served = servedIn(fairOrder(work, start), stuck, given);
          expect(served.toSorted()).toEqual(
            work
              .map(nameOf)
              .filter((name) => !stuck.has(name))
              .toSorted(),
          );
        },
      ),
      effort(300),
    );
  });

  /**
   * Fails if the order is that of the lists, if it rotates with the time (for a period that divides its steps),
   * if edited resources come first, or if a resource may use all of the time that is left.
   */
  it('serves each healthy resource within the stated number of runs', () => {
    const periods = fc.oneof(
      fc.constantFrom(60, 300, 600, 611, 3600),
      fc.integer({ min: 1, max: 9999 }),
    );
    fc.assert(
      fc.property(
        run,
        periods,
        fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 })),
        fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 5 }),
        (given, seconds, [edited, rest], others) => {
          const work = [...worldsOf(edited, rest), ...spread(others)];
          // One resource of each group is healthy, listed after all stuck ones.
          const healthy = [`f${edited - 1}`, `f${edited + rest - 1}`];
          const stuck = new Set(work.map(nameOf).filter((name) => !healthy.includes(name)));
          const least = Math.min(10_000, given.totalMs / 4);
          const begun = given.concurrency * Math.floor(given.totalMs / least);
          // The sizes of other namespaces do not matter, only their number.
          const among = Math.max(edited, rest * (1 + others.length));
          const chance = Math.min(1, Math.floor(begun / 2) / among);
          const runs = chance === 1 ? 1 : Math.ceil(Math.log(1e-9) / Math.log(1 - chance));
          const served = new Set<string>();
          for (let resync = 0; resync < runs && served.size < healthy.length; resync++) {
            const order = fairOrder(work, start + resync * seconds * 1000);
            for (const name of servedIn(order, stuck, given)) served.add(name);
          }
          expect([...served].toSorted()).toEqual(healthy.toSorted());
        },
      ),
      effort(120),
    );
  });
});

describe('the time for a write', () => {
  it('leaves an equal share for the last of several writes if all before it hang', () => {
    const times = fc.record({
      writes: fc.integer({ min: 1, max: 16 }),
      share: fc.integer({ min: 4_000, max: 150_000 }),
      total: fc.integer({ min: 5_000, max: 300_000 }),
    });
    fc.assert(
      fc.property(times, ({ writes, share, total }) => {
        let left = share;
        for (let waiting = writes; waiting > 1; waiting--)
          left -= limitOfWrite(firstTryOf(total), left, waiting);
        expect(Math.ceil(left)).toBeGreaterThanOrEqual(Math.floor(share / writes));
      }),
      effort(300),
    );
  });

  it('is longer than any webhook timeout, or all that is left, after a write was cut off', () => {
    const waiting = { concurrency: 8, waiting: 1_000, isLater: true };
    expect(shareOf({ ...waiting, left: 300_000, total: 300_000 })).toBeGreaterThan(30_000);
    expect(shareOf({ ...waiting, left: 20_000, total: 40_000 })).toBe(20_000);
  });
});
