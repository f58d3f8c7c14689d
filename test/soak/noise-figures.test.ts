import { expect, it } from 'vitest';
import { noiseFigures } from './noise-figures.ts';

it.each([
  {
    reason: 'show no rate in the first second',
    time: { passed: 100, of: 12_000 },
    counts: { writes: 0 },
    want: '0s of 12s, writes 0.0/min, 12s left; writes 0',
  },
  {
    reason: 'show the rate and the time left',
    time: { passed: 30_000, of: 90_000 },
    counts: { deeds: 9, writes: 75 },
    want: '30s of 1m30s, writes 2.5/s, 1m0s left; deeds 9, writes 75',
  },
  {
    reason: 'show a slow rate per minute',
    time: { passed: 60_000, of: 3_600_000 },
    counts: { writes: 6 },
    want: '1m0s of 60m0s, writes 6.0/min, 59m0s left; writes 6',
  },
  {
    reason: 'are right if the timer is late',
    time: { passed: 12_400, of: 12_000 },
    counts: { writes: 124 },
    want: '12s of 12s, writes 10.0/s, 0s left; writes 124',
  },
])("the progress of the soak's noise: the figures $reason", ({ time, counts, want }) => {
  expect(noiseFigures(time, counts)).toBe(want);
});
