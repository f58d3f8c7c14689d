import { rateText, timeText } from '../../infra/cli/output/progress.ts';

/** Elapsed and total time of the noise, in milliseconds. */
export interface NoiseTime {
  readonly passed: number;
  readonly of: number;
}

/** Formats the progress of the noise, the rate of writes, the time left, and all counts. */
export function noiseFigures(
  { passed, of }: NoiseTime,
  counts: Readonly<Record<string, number>> & { readonly writes: number },
): string {
  const [seconds, all] = [Math.floor(passed / 1_000), of / 1_000];
  const rate = rateText(counts.writes / Math.max(passed / 1_000, 1));
  const left = timeText(Math.max(all - seconds, 0));
  const totals = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return `${timeText(seconds)} of ${timeText(all)}, writes ${rate}, ${left} left; ${totals.join(', ')}`;
}
