import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { showSteps } from '../../infra/cli/output/progress.ts';
import { countMeasurements } from './progress.ts';

/** Returns the progress output of measurements that take this many seconds each. */
function shown(seconds: readonly number[], isTTY: boolean): string {
  const parts: string[] = [];
  const err = Object.assign(new PassThrough(), { isTTY });
  err.on('data', (part) => parts.push(String(part)));
  let ms = 0;
  const steps = showSteps({ err, now: () => new Date(ms) });
  ms = 1_000;
  const { begin } = countMeasurements(steps, { of: seconds.length, now: () => ms });
  for (const [at, taken] of seconds.entries()) {
    begin(at < 2 ? 'cold' : 'at rest', at % 2 === 0 ? 'ours' : 'bare client');
    ms += taken * 1_000;
  }
  steps.stop();
  return parts.join('');
}

const lines = [
  'cold: ours, 1 of 4',
  'cold: bare client, 2 of 4, 30.0/min, 6s left',
  'at rest: ours, 3 of 4, 20.0/min, 6s left',
  'at rest: bare client, 4 of 4, 20.0/min, 3s left',
];

it('the progress of a bench shows the current measurement, the rate and the time left, in place on a terminal', () => {
  const clear = '\r\u001b[K';
  expect(shown([2, 4, 3, 1], true)).toBe(`${clear}${lines.join(clear)}${clear}`);
});

it('the progress of a bench is a line per scenario without a terminal, and one every ten seconds in a long scenario', () => {
  expect(shown([2, 4, 3, 1], false)).toBe(`${lines[0]}\n${lines[2]}\n`);
  expect(shown([10, 1], false)).toBe(
    'cold: ours, 1 of 2\ncold: bare client, 2 of 2, 6.0/min, 10s left\n',
  );
});
