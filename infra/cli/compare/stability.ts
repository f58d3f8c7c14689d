/** One check of the cluster. */
export interface ComparisonSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Everything was read, and the code of each kind changes nothing. */
  readonly agrees: boolean;
  /** Resources with work for a run of either version. */
  readonly pending: readonly string[];
}

/** The time for which two versions have agreed. */
export interface Stability {
  /** Milliseconds since the epoch; undefined while they differ. */
  readonly since: number | undefined;
  /** Resources that were pending in every check since then: nothing is known about them. */
  readonly pending: readonly string[];
}

export const unstable: Stability = { since: undefined, pending: [] };

/** A difference resets the stability; a resource that was settled in one check counts as settled. */
export function nextStability({ since, pending }: Stability, sample: ComparisonSample): Stability {
  if (!sample.agrees) return unstable;
  if (since === undefined) return { since: sample.at, pending: sample.pending };
  const still = new Set(sample.pending);
  return { since, pending: pending.filter((key) => still.has(key)) };
}
