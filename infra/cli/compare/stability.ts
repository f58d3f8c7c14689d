/** One check of the cluster. */
export interface ComparisonSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True if everything was read and no kind's code changes anything. */
  readonly agrees: boolean;
  /** Resources that a run of either version would still change. */
  readonly pending: readonly string[];
}

/** The time for which two versions have agreed. */
export interface Stability {
  /** Milliseconds since the epoch; undefined while they differ. */
  readonly since: number | undefined;
  /** Resources that were pending in every check since then, so that nothing is known about their code changes. */
  readonly pending: readonly string[];
}

export const unstable: Stability = { since: undefined, pending: [] };

/** Starts again after a difference. A resource stays pending only while it is pending in every check. */
export function nextStability({ since, pending }: Stability, sample: ComparisonSample): Stability {
  if (!sample.agrees) return unstable;
  if (since === undefined) return { since: sample.at, pending: sample.pending };
  const still = new Set(sample.pending);
  return { since, pending: pending.filter((key) => still.has(key)) };
}
