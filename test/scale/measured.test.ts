import { expect, it } from 'vitest';
import { compare } from './measured.ts';
import { percentile } from './simulate.ts';

const comparisons = compare();

it.each(comparisons)(
  '$name: $modelled in the model, $measured measured',
  ({ of, isFitted, deviation }) => {
    const most = of === 'requests' ? 36 : isFitted ? 15 : 37;
    expect(Math.abs(deviation)).toBeLessThan(most);
  },
);

it('has a median error of less than a fifth over the runs that it was not fitted to', () => {
  const checked = comparisons.filter(({ isFitted, of }) => !isFitted && of === 'processor time');
  expect(checked.length).toBeGreaterThan(10);
  const deviations = checked.map(({ deviation }) => Math.abs(deviation));
  expect(percentile(deviations, 0.5)).toBeLessThan(20);
});
