import { expect, it } from 'vitest';
import { tableOf } from './table.ts';

const usage = (cpuSeconds: number) => ({
  cpuSeconds,
  wallSeconds: 2,
  peakMiB: 100.4,
  retainedMiB: 20,
});
const sample = (cpuSeconds: number) => ({
  ...usage(cpuSeconds),
  traffic: {
    requests: { list: 3, patch: 10, create: 2 },
    bytesSent: 2048,
    bytesReceived: 4096,
    conflicts: 1,
    connections: 8,
  },
});

it('the table shows medians, and CPU relative to the first candidate of the same scenario', () => {
  const table = tableOf([
    { scenario: 'cold', candidate: 'bare client', samples: [1, 2, 3].map(sample) },
    { scenario: 'cold', candidate: 'ours', samples: [3, 3, 4].map(sample) },
    { scenario: 'start', candidate: 'ours', samples: [usage(0.5)] },
  ]);
  const cells = table.split('\n').map((line) => line.split(/ {2,}/));
  expect(cells).toEqual([
    expect.arrayContaining(['scenario', 'candidate', 'CPU', 'to the first', 'writes']),
    [
      'cold',
      'bare client',
      '2.00 s ±25 %',
      '2.00 s',
      '100 MiB',
      '20 MiB',
      '15',
      '12',
      '1',
      '2 KiB',
      '4 KiB',
      '8',
    ],
    [
      'cold',
      'ours',
      '3.00 s ±8 %',
      '1.50 ×',
      '2.00 s',
      '100 MiB',
      '20 MiB',
      '15',
      '12',
      '1',
      '2 KiB',
      '4 KiB',
      '8',
    ],
    ['start', 'ours', '0.50 s ±0 %', '2.00 s', '100 MiB', '20 MiB'],
  ]);
});
