import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foo } from '../../shared/kinds/foo.ts';
import { observeResource } from '../../shared/plan/observed.ts';
import { isEdited } from '../../shared/plan/pruning.ts';
import { fairOrder } from '../../shared/reconcile/order.ts';
import { shareOf } from '../../shared/reconcile/share.ts';
import { type View, viewOf } from '../../shared/reconcile/view.ts';
import { effort } from '../properties/runs.ts';
import { foo as live } from '../support/resources.ts';

const viewNamed = (at: number, edited: boolean): View =>
  viewOf(
    foo,
    observeResource(
      live({ metadata: { name: `f${at}`, uid: `uid-${at}`, generation: edited ? 2 : 1 } }),
    ),
    [],
  );

const viewsOf = (edited: number, rest: number): readonly View[] =>
  Array.from({ length: edited + rest }, (_, at) => viewNamed(at, at < edited));

const nameOf = ({ resource }: View): string => resource.name;
const start = Date.parse('2026-11-21T12:00:00Z');

describe('the order of a run', () => {
  it('has everything once, and half of either group in each beginning', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(80), fc.nat(), (edited, rest, k, time) => {
        const work = viewsOf(edited, rest);
        const order = fairOrder(work, new Date(start + time));
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

interface Run {
  readonly slots: number;
  readonly totalMs: number;
  /** What a healthy resource takes. */
  readonly healthyMs: number;
}

/** The healthy resources that one run serves, if the others hold their slot as long as they may. */
function servedIn(
  order: readonly View[],
  stuck: ReadonlySet<string>,
  { slots, totalMs, healthyMs }: Run,
): readonly string[] {
  const freeAt = Array.from({ length: slots }, () => 0);
  return order.flatMap((view, at) => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const now = freeAt[slot]!;
    if (now >= totalMs) return [];
    const waiting = order.length - at;
    const share = shareOf({ left: totalMs - now, total: totalMs, waiting, slots });
    const isStuck = stuck.has(nameOf(view));
    freeAt[slot] = now + (isStuck ? share : Math.min(share, healthyMs));
    return isStuck || healthyMs > share ? [] : [nameOf(view)];
  });
}

const run = fc.record({
  slots: fc.constantFrom(1, 2, 8, 64),
  totalMs: fc.constantFrom(5_000, 30_000, 300_000, 3_500_000),
  healthyMs: fc.integer({ min: 1, max: 1_000 }),
});

describe('fairness', () => {
  it('serves every healthy resource in each run, where there are four for each slot', () => {
    fc.assert(
      fc.property(
        run,
        fc.nat(256),
        fc.nat(256),
        fc.infiniteStream(fc.boolean()),
        (given, a, b, coins) => {
          const work = viewsOf(a, b).slice(0, 4 * given.slots);
          const stuck = new Set(work.filter(() => coins.next().value).map(nameOf));
          const served = servedIn(fairOrder(work, new Date(start)), stuck, given);
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
   * Breaks where the order is that of the lists, or turned by the time (for a period that divides its
   * steps), where edited ones come first, and where a share is all of the time that is left.
   */
  it('serves each healthy resource within the number of runs that it states', () => {
    const periods = fc.oneof(
      fc.constantFrom(60, 300, 600, 611, 3600),
      fc.integer({ min: 1, max: 9999 }),
    );
    fc.assert(
      fc.property(
        run,
        periods,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (given, seconds, edited, rest) => {
          const work = viewsOf(edited, rest);
          // One healthy one in either group, behind everything that is stuck.
          const healthy = [`f${edited - 1}`, `f${edited + rest - 1}`];
          const stuck = new Set(work.map(nameOf).filter((name) => !healthy.includes(name)));
          const least = Math.min(10_000, given.totalMs / 4);
          const begun = given.slots * Math.floor(given.totalMs / least);
          const chance = Math.min(1, Math.floor(begun / 2) / Math.max(edited, rest));
          const runs = chance === 1 ? 1 : Math.ceil(Math.log(1e-9) / Math.log(1 - chance));
          const served = new Set<string>();
          for (let tick = 0; tick < runs && served.size < healthy.length; tick++) {
            const order = fairOrder(work, new Date(start + tick * seconds * 1000));
            for (const name of servedIn(order, stuck, given)) served.add(name);
          }
          expect([...served].toSorted()).toEqual(healthy.toSorted());
        },
      ),
      effort(120),
    );
  });
});
