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
 * How long the next resource may take, in milliseconds: an equal share of what is left for all that
 * wait, and at most half of it, so that one that hangs can be taken up again.
 *
 * Guarantees: every resource has a turn in this run, if an equal share is no less than the minimum; else
 * at least four times as many as there are slots have one.
 */
export function shareOf({ left, total, waiting, slots }: Standing): number {
  const fair = Math.min((left * slots) / waiting, left / 2);
  return Math.max(fair, Math.min(leastMs, total / 4));
}
