import fc from 'fast-check';
import pMap from 'p-map';
import { expect, it } from 'vitest';
import { mapConcurrently } from '../../shared/reconcile/map-concurrently.ts';
import { effort } from '../properties/runs.ts';

type Mapper = (
  items: readonly number[],
  work: (item: number) => Promise<number>,
  concurrency: number,
) => Promise<number[]>;

const peer: Mapper = (items, work, concurrency) => pMap(items, work, { concurrency });

/** What is begun, how many at once at most, and what comes out, if the items end in some order. */
async function observe(map: Mapper, { order, failing, concurrency }: Case) {
  const begun: number[] = [];
  const open = new Map<number, () => void>();
  let most = 0;
  const result = map(
    order.map((_, item) => item),
    async (item) => {
      begun.push(item);
      await new Promise<void>((resolve) => {
        open.set(item, resolve);
        most = Math.max(most, open.size);
      });
      if (failing.includes(item)) throw new Error(`failed: ${item}`);
      return -item;
    },
    concurrency,
  ).catch(String);
  await settled();
  while (open.size > 0) {
    const [item] = order.filter((one) => open.has(one));
    open.get(item as number)?.();
    open.delete(item as number);
    await settled();
  }
  return { begun, most, result: await result };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

interface Case {
  /** The items by who ends first among those begun. */
  readonly order: readonly number[];
  readonly failing: readonly number[];
  readonly concurrency: number;
}

const cases: fc.Arbitrary<Case> = fc.nat({ max: 9 }).chain((count) => {
  const items = Array.from({ length: count }, (_, item) => item);
  return fc.record({
    order: fc.shuffledSubarray(items, { minLength: count }),
    failing: fc.oneof(fc.constant([]), fc.subarray(items)),
    concurrency: fc.integer({ min: 1, max: 12 }),
  });
});

it('begins and ends as p-map does', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      expect(await observe(mapConcurrently, one)).toEqual(await observe(peer, one));
    }),
    effort(1000),
  );
});

it('begins no further item after a rejection, which it passes on', async () => {
  const one = { order: [1, 0, 2, 3], failing: [1], concurrency: 2 };
  expect(await observe(mapConcurrently, one)).toEqual({
    begun: [0, 1],
    most: 2,
    result: 'Error: failed: 1',
  });
});

it('takes what is thrown as a rejection', async () => {
  const fail = (): never => {
    throw new Error('thrown');
  };
  await expect(mapConcurrently([1, 2], fail, 2)).rejects.toThrow('thrown');
});
