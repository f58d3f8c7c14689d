/** Tries a part of the cases that each property names, so that `npm test` stays short; `FC_RUNS=1` tries all. */
const factor = Number(process.env.FC_RUNS ?? 0.1);

/** Sets how many cases a property is tried with: `FC_RUNS` multiplies it, `FC_SEED` repeats a failure. */
export const effort = (cases: number): { readonly numRuns: number; readonly seed?: number } => ({
  numRuns: Math.ceil(cases * factor),
  ...(process.env.FC_SEED === undefined ? {} : { seed: Number(process.env.FC_SEED) }),
});

/** True if all enumerated cases are tried, at their full size. */
export const isWhole = factor >= 1;

/** Tries every n-th of the enumerated orders and calls. */
export const stride = isWhole ? 1 : 3;

export const isLongRun = factor > 1;

/** Fits the timeout of a test to the number of cases. */
export const testTimeoutMs = 60_000 * Math.max(1, factor);
