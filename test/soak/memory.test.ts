import { describe, expect, it } from 'vitest';
import { growthOf, watchMemory } from './memory.ts';

describe('growth of memory', () => {
  it.each<{ readonly of: string; readonly points: [number, number][]; readonly growth: number }>([
    {
      of: 'a flat line',
      points: [
        [0, 20],
        [10, 20],
        [20, 20],
      ],
      growth: 0,
    },
    {
      of: 'a leak of half a MiB a second',
      points: [
        [0, 20],
        [10, 25],
        [20, 30],
      ],
      growth: 10,
    },
    {
      of: 'a wave that ends where it began',
      points: [
        [0, 20],
        [5, 30],
        [10, 20],
        [15, 30],
        [20, 20],
      ],
      growth: 0,
    },
    { of: 'too few samples', points: [[0, 20]], growth: 0 },
  ])('is the increase over the time of the samples: $of', ({ points, growth }) => {
    expect(growthOf(points)).toBeCloseTo(growth);
  });
});

const mebibyte = 2 ** 20;

/** Returns the growth of a process sampled every five seconds as [posts handled, MiB of heap]. */
async function growthIn(samples: readonly (readonly [handled: number, heap: number])[]) {
  let at = 0;
  const sample = () => samples[at] ?? [0, 0];
  const process = {
    name: 'resync',
    handled: () => sample()[0],
    memory: async () => ({ heap: sample()[1] * mebibyte, rss: 0 }),
  };
  const watch = watchMemory([process], () => at * 5_000);
  for (; at < samples.length; at++) await watch.sample();
  return watch.report()[0]?.heapGrowth;
}

describe('memory', () => {
  it('that the first posts use is no growth, even if they come late', async () => {
    const idle = Array.from({ length: 6 }, () => [0, 18] as const);
    expect(await growthIn([...idle, [1, 23], [3, 24], [4, 24], [6, 24], [9, 24]])).toBeCloseTo(0);
  });

  it('that each post uses is growth', async () => {
    const leaking = Array.from({ length: 10 }, (_, at) => [at, 18 + at] as const);
    expect(await growthIn(leaking)).toBeCloseTo(6);
  });
});
