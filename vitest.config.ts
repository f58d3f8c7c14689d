import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, which start first: one that started last would run alone at the end. */
const longest = [
  'test/operators/jaeger/laws.test.ts',
  'test/testing/expect-reliable.test.ts',
  'test/operators/grafana/laws.test.ts',
  'test/operators/grafana/grafana.test.ts',
  'test/operators/mariadb/mariadb.test.ts',
  'test/reconcile/fairness-children.test.ts',
  'test/recordings/impact.test.ts',
  'test/properties/sequences.test.ts',
  'test/cli/cluster.test.ts',
  'test/cli/replay.test.ts',
  'test/cluster/request-sender.test.ts',
  'test/properties/upgrades.test.ts',
  'infra/local/test/contract/local.test.ts',
  'test/testing/two-copies.test.ts',
];

/**
 * Tests to run last: the functions framework enters a domain for each request, which slows down every
 * later promise of the thread.
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
    // No module has state of its own, so test files can share loaded modules.
    pool: 'threads',
    isolate: false,
    sequence: { sequencer: InOrder },
  },
});
