import { describe, expect, it } from 'vitest';
import { alternate, type Measurement, median, spread } from './figures.ts';

const usage = { cpuSeconds: 1, wallSeconds: 1, peakMiB: 1, retainedMiB: 1 };

it.each([
  { reason: 'no values is NaN', values: [], middle: Number.NaN },
  { reason: 'one value is that value', values: [3], middle: 3 },
  { reason: 'numbers sorts them as numbers, not as text', values: [10, 9, 100], middle: 10 },
  { reason: 'an even count lies between the middle two', values: [4, 1, 2, 3], middle: 2.5 },
])('the median of $reason', ({ values, middle }) => {
  expect(median(values)).toEqual(middle);
});

it.each([
  { reason: 'equal values is 0', values: [2, 2, 2], want: 0 },
  { reason: 'values is half the interquartile range', values: [1, 2, 3, 4, 5], want: 1 / 3 },
  { reason: 'values ignores an outlier', values: [10, 10, 10, 10, 1000], want: 0 },
])('the spread of $reason', ({ values, want }) => {
  expect(spread(values)).toBeCloseTo(want);
});

describe('alternating', () => {
  it('measures one candidate after the other, every other round backwards', async () => {
    const order: string[] = [];
    const measure = (name: string) => async () => {
      order.push(name);
      return { ...usage, cpuSeconds: order.length };
    };
    const reported: Measurement[] = [];
    const progress = { begin: (...names: string[]) => order.push(`begin ${names.join()}`) };
    const candidates = { a: measure('a'), b: measure('b') };
    await alternate({ progress, rounds: 3 }, { scenario: 's', candidates }, (one) =>
      reported.push(one),
    );
    expect(order).toEqual(
      ['a', 'b', 'b', 'a', 'a', 'b'].flatMap((name) => [`begin s,${name}`, name]),
    );
    expect(reported).toMatchObject([
      { scenario: 's', candidate: 'a', samples: [2, 8, 10].map((cpuSeconds) => ({ cpuSeconds })) },
      { scenario: 's', candidate: 'b', samples: [4, 6, 12].map((cpuSeconds) => ({ cpuSeconds })) },
    ]);
  });

  it('fails with the error of the first candidate that fails', async () => {
    const failing = async () => Promise.reject(new Error('it failed'));
    const setting = { progress: { begin: () => undefined }, rounds: 2 };
    const comparison = { scenario: 's', candidates: { a: failing } };
    await expect(alternate(setting, comparison, () => undefined)).rejects.toThrow('it failed');
  });
});
