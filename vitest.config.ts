import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than all others: begun last, one of them would be waited for alone. */
const longest = [
  'test/scenarios/local.test.ts',
  'test/testing/expect-converged.test.ts',
  'test/properties/crash.test.ts',
  'test/properties/faults.test.ts',
  'test/properties/credentials.test.ts',
  'infra/local/test/contract/local.test.ts',
  'infra/local/test/deep-objects.test.ts',
  'test/reconcile/fairness.test.ts',
  'test/testing/two-copies.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'infra/local/test/**/*.test.ts'],
    exclude: ['**/e2e/**', 'test/published/**', '**/node_modules/**'],
    globalSetup: 'test/compile-cache.ts',
    testTimeout: 60_000,
    // Worlds are built in hooks, beside the tests of others: on a busy machine that takes as long.
    hookTimeout: 60_000,
    // Much of the time is waited, not computed: two cores keep three workers busy.
    maxWorkers: 3,
    // No module has state of its own, so that files can share what they have loaded.
    pool: 'threads',
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
