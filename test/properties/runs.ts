const factor = Number(process.env.FC_RUNS ?? 1);

/** How many cases a property is tried with: `FC_RUNS` multiplies it, `FC_SEED` repeats a failure. */
export const effort = (cases: number): { readonly numRuns: number; readonly seed?: number } => ({
  numRuns: Math.ceil(cases * factor),
  ...(process.env.FC_SEED === undefined ? {} : { seed: Number(process.env.FC_SEED) }),
});

export const isLongRun = factor > 1;

/** The test timeout that goes with it. */
export const patience = 60_000 * Math.max(1, factor);
