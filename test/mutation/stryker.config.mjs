/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  mutate: [
    'shared/plan/**/*.ts',
    'shared/exposure/**/*.ts',
    'shared/{run,reading,rollout,resource,resync,preview}/**/*.ts',
    'shared/audit/**/*.ts',
    'shared/google/{log-condition,log-entry,resource-name,sink-filter}.ts',
  ],
  ignorePatterns: ['/biome.json', '/dist', '/terraform', '/infra/local/control-plane/versions'],
  // The compiler API by which it would be rewritten is not in TypeScript 7; nothing here reads it.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 20,
  tempDirName: '.stryker',
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { reportTests: false, logTests: false },
};
