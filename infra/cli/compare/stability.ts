/** What one check of the cluster showed. */
export interface Check {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether everything was read, and the code of each kind changes nothing. */
  readonly agrees: boolean;
  /** Resources for which a run of either version has something to do. */
  readonly pending: readonly string[];
}

/** How long two versions have agreed. */
export interface Agreement {
  /** Milliseconds since the epoch; undefined while they differ. */
  readonly since: number | undefined;
  /** Resources that were pending in every check since then: nothing is known about them. */
  readonly pending: readonly string[];
}

export const noAgreement: Agreement = { since: undefined, pending: [] };

/** A pure function: any difference ends an agreement, and what was not pending once is known. */
export function nextAgreement({ since, pending }: Agreement, check: Check): Agreement {
  if (!check.agrees) return noAgreement;
  if (since === undefined) return { since: check.at, pending: check.pending };
  const still = new Set(check.pending);
  return { since, pending: pending.filter((key) => still.has(key)) };
}
