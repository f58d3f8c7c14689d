import { defineConfig } from 'vitest/config';

/** Few cases for each property: every breakage is tried with all the tests that reach it. */
process.env.FC_RUNS ??= '0.02';

/** The directories of `test/` whose tests have to find a breakage. */
const rooms = (process.env.MUTATION_TESTS ?? 'audit,exposure,plan,reconcile').split(',');

export default defineConfig({
  test: {
    include: rooms.map((room) => `test/${room}/**/*.test.ts`),
    testTimeout: 60_000,
    isolate: false,
  },
});
