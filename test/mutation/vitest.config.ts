import { defineConfig } from 'vitest/config';

/** Runs few cases of each property, because every mutant runs all tests that reach it. */
process.env.FC_RUNS ??= '0.02';

/** Directories or files below `test/` whose tests have to kill the mutants. */
const places = (process.env.MUTATION_TESTS ?? 'audit,child-types,exposure,plan,reconcile').split(
  ',',
);

export default defineConfig({
  test: {
    include: places.map((place) =>
      place.endsWith('.test.ts') ? `test/${place}` : `test/${place}/**/*.test.ts`,
    ),
    testTimeout: 60_000,
    isolate: false,
  },
});
