import { defineConfig } from 'vitest/config';

/** Few cases for each property: every breakage is tried with all the tests that reach it. */
process.env.FC_RUNS ??= '0.02';

/** The directories of `test/`, or files in it, whose tests have to find a breakage. */
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
