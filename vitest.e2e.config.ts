import { defineConfig } from 'vitest/config';

/** Each file has a control plane of its own. Much of the time is spent waiting, so two files run at a time. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts', 'infra/local/test/e2e/**/*.test.ts'],
    globalSetup: 'test/e2e/build-once.ts',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 900_000,
  },
});
