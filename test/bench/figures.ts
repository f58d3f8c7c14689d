import type { Traffic } from './exchange.ts';
import type { Usage } from './metered.ts';
import type { BenchProgress } from './progress.ts';

export interface Sample extends Usage {
  readonly traffic?: Traffic;
}

/** The samples of one candidate in one scenario. */
export interface Measurement {
  readonly scenario: string;
  readonly candidate: string;
  readonly samples: readonly Sample[];
}

/** The value below which this share of the values lies, interpolated; NaN without values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at % 1);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Half the distance between the quartiles, relative to the median: 0.05 is ±5 %. */
export const spread = (values: readonly number[]): number =>
  (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);

interface Comparison {
  readonly scenario: string;
  readonly candidates: Readonly<Record<string, () => Promise<Sample>>>;
}

/**
 * Measures the candidates round by round, reversing their order each time, so that a machine that slows
 * down for a while slows them all down. Reports each candidate at the end.
 */
export async function alternate(
  { progress, rounds }: { readonly progress: BenchProgress; readonly rounds: number },
  { scenario, candidates }: Comparison,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const measured = Object.entries(candidates).map(([candidate, measure]) => ({
    candidate,
    measure,
    samples: [] as Sample[],
  }));
  for (let round = 0; round < rounds; round++)
    for (const { candidate, measure, samples } of round % 2 === 0
      ? measured
      : measured.toReversed()) {
      progress.begin(scenario, candidate);
      samples.push(await measure());
    }
  for (const { candidate, samples } of measured) report({ scenario, candidate, samples });
}
