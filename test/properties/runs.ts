/** A part of what each property names, so that `npm test` stays short; `FC_RUNS=1` is all of it. */
const factor = Number(process.env.FC_RUNS ?? 0.1);

/** How many cases a property is tried with: `FC_RUNS` multiplies it, `FC_SEED` repeats a failure. */
export const effort = (cases: number): { readonly numRuns: number; readonly seed?: number } => ({
  numRuns: Math.ceil(cases * factor),
  ...(process.env.FC_SEED === undefined ? {} : { seed: Number(process.env.FC_SEED) }),
});

/** Everything that is enumerated is tried, and at its full size. */
export const isWhole = factor >= 1;

/** Of the orders and calls that are enumerated every n-th is tried. */
export const stride = isWhole ? 1 : 3;

export const isLongRun = factor > 1;

/** The timeout of a test that goes with it. */
export const testTimeoutMs = 60_000 * Math.max(1, factor);
