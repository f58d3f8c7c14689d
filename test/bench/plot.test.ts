import { expect, it } from 'vitest';
import { barsOf } from './plot.ts';

it('the plot has a proportional bar for each measurement, and escapes names', () => {
  const samples = [{ cpuSeconds: 1, wallSeconds: 1, peakMiB: 1, retainedMiB: 1 }];
  const svg = barsOf([
    { scenario: 'cold', candidate: 'bare client', samples },
    {
      scenario: 'cold',
      candidate: '<ours>',
      samples: samples.map((one) => ({ ...one, cpuSeconds: 2 })),
    },
  ]);
  const widths = [...svg.matchAll(/class="(\w+)" .*?width="([\d.]+)"/g)];
  expect(widths.map(([, kind, width]) => [kind, Number(width)])).toEqual([
    ['floor', 190],
    ['bar', 380],
  ]);
  expect(svg).toContain('cold: &lt;ours&gt;');
  expect(svg).not.toContain('<ours>');
});
