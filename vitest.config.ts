import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, which are begun first: one that is begun last would run alone at the end. */
const longest = [
  'test/testing/expect-converged.test.ts',
  'test/testing/expect-reliable.test.ts',
  'infra/local/test/contract/local.test.ts',
  'test/reconcile/fairness.test.ts',
  'test/reconcile/references.test.ts',
  'test/plan/order-courses.test.ts',
  'test/cluster/sockets.test.ts',
  'test/properties/rollout.test.ts',
  'test/dashboard/dashboard-server.test.ts',
  'test/properties/crash.test.ts',
  'infra/local/test/deep-objects.test.ts',
  'test/testing/two-copies.test.ts',
  'test/cli/replay.test.ts',
  'test/properties/faults.test.ts',
];

/**
 * The functions framework enters a domain for each request, which slows down every later promise of the
 * thread.
 */
const slowing = '/test/functions/';

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at >= 0 ? at : longest.length + Number(moduleId.includes(slowing));
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
    // Hooks start clusters, which takes as long as a test on a busy machine.
    hookTimeout: 60_000,
    // Tests often wait rather than compute, so two cores keep three workers busy.
    maxWorkers: 3,
    // No module has state of its own, so that files can share what they have loaded.
    pool: 'threads',
    isolate: false,
    sequence: { sequencer: InOrder },
  },
});
