/** Where a run stands; times in milliseconds. */
export interface Standing {
  /** Time until the deadline, and what there was of it at the start. */
  readonly left: number;
  readonly total: number;
  /** Resources that were not begun yet, the next one included. */
  readonly waiting: number;
  /** How many are reconciled at once. */
  readonly slots: number;
}

/** Enough for a slow server, and with a short deadline for four resources one after another. */
const leastMs = 10_000;

/**
 * How long the next resource may take, in milliseconds.
 *
 * Guarantees: where all share what is left alike, everybody has a turn in this run, if the least does
 * not exceed it; else at least four times as many as there are slots have one.
 */
export const shareOf = ({ left, total, waiting, slots }: Standing): number =>
  Math.max((left * slots) / Math.max(waiting, slots), Math.min(leastMs, total / 4));
