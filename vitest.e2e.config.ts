import { defineConfig } from 'vitest/config';

/** Each file has a real control plane of its own, so one runs after the other. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts', 'infra/local/test/e2e/**/*.test.ts'],
    globalSetup: 'test/e2e/build-functions.ts',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 900_000,
  },
});
