import type { Traffic } from './exchange.ts';
import type { Usage } from './metered.ts';

export interface Sample extends Usage {
  readonly traffic?: Traffic;
}

/** One candidate's samples of one scenario. */
export interface Measurement {
  readonly scenario: string;
  readonly candidate: string;
  readonly samples: readonly Sample[];
}

/** The value below which this share lies, interpolated; NaN of none. */
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

/**
 * Measures the candidates in turn, each round in the opposite order of the one before, so that what slows
 * the machine down for a while slows all of them down. `begin` is called before each sample.
 */
export async function alternate<Key extends string>(
  rounds: number,
  candidates: Readonly<Record<Key, () => Promise<Sample>>>,
  begin: (candidate: Key) => void,
): Promise<ReadonlyMap<Key, readonly Sample[]>> {
  const names = Object.keys(candidates) as Key[];
  const samples = new Map<Key, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      begin(name);
      samples.get(name)?.push(await candidates[name]());
    }
  return samples;
}
