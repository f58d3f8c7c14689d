import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    testTimeout: 60_000,
    maxWorkers: 3,
    // No module has state, so files can share loaded modules.
    pool: 'threads',
    isolate: false,
  },
});
