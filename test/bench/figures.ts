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

/** The middle value, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] ?? Number.NaN)
    : ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2;
}

/** Half the distance between the quartiles, relative to the median: 0.05 is ±5 %. */
export function spread(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const quartile = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return (quartile(0.75) - quartile(0.25)) / 2 / median(values);
}

export const cpuOf = ({ samples }: Measurement): number =>
  median(samples.map(({ cpuSeconds }) => cpuSeconds));

/**
 * Measures the candidates in turn, each round in the opposite order of the one before, so that what slows
 * the machine down for a while slows all of them down.
 */
export async function alternate<Key extends string>(
  rounds: number,
  candidates: Readonly<Record<Key, () => Promise<Sample>>>,
): Promise<ReadonlyMap<Key, readonly Sample[]>> {
  const names = Object.keys(candidates) as Key[];
  const samples = new Map<Key, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed())
      samples.get(name)?.push(await candidates[name]());
  return samples;
}
