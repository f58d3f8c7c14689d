import type { Rules } from './violations.ts';

/**
 * Lists what each directory may import; `npm run check` enforces it.
 *
 * A row is a file, a directory with everything below it, or the files directly in a directory (`shared/*.ts`). The
 * longest row that matches a file applies. `imports` lists other rows; `shared` stands for all rows below `shared/`.
 * `packages` lists packages and Node modules.
 */
export const rules: Rules = {
  /** Directories that no relative import enters or leaves. */
  ownPackages: ['infra/local', 'test/published'],

  /** The maximum number of source files in a directory. */
  mostFiles: 15,
  /** Directories that have more files than `mostFiles`, and should be split. */
  crowded: [],
  unlimited: ['infra/local', 'test'],

  directories: {
    'index.ts': {
      holds: 'the public API',
      imports: 'shared/*.ts shared/config shared/kinds',
      packages: 'typebox',
    },
    'reconciler.config.ts': {
      holds: "this repository's configuration",
      imports: 'index.ts systems',
    },
    '*.ts': { holds: 'the configuration of vitest', packages: 'vitest' },
    types: {
      holds: 'schemas of Kubernetes API types, for the specs of kinds',
      imports: 'shared/*.ts shared/kinds',
      packages: 'typebox',
    },
    systems: {
      holds: "this repository's kinds, one file each",
      imports: 'index.ts types',
    },
    'shared/*.ts': {
      holds: 'API types, reconcile request, identity, JSON, printable text',
      packages: 'node:buffer',
    },
    'shared/log.ts': { holds: 'the log', imports: 'shared/*.ts' },
    'shared/kinds': {
      holds: 'kinds, child types, rules, names, schemas',
      imports: 'shared/*.ts',
      packages: 'node:crypto typebox',
    },
    'shared/plan/observed': {
      holds: 'a resource and its children',
      imports: 'shared/*.ts shared/kinds',
      packages: 'node:crypto typebox',
    },
    'shared/plan/drift': {
      holds: 'differences from the desired state, and their authors',
      imports: 'shared/*.ts shared/kinds shared/plan/observed',
      packages: 'node:crypto',
    },
    'shared/plan/decision': {
      holds: 'decisions about a child, as data',
      imports: 'shared/*.ts shared/kinds shared/plan/observed shared/plan/drift',
      packages: 'node:crypto',
    },
    'shared/plan/exposure': {
      holds: 'the order of Ingress writes',
      imports:
        'shared/*.ts shared/kinds shared/plan/observed shared/plan/drift shared/plan/decision',
      packages: 'node:crypto',
    },
    'shared/plan/*.ts': {
      holds: "a resource's plan; the limit on deletions",
      imports:
        'shared/*.ts shared/kinds shared/plan/observed shared/plan/drift shared/plan/decision shared/plan/exposure',
      packages: 'node:crypto',
    },
    'shared/plan/status': {
      holds: 'status, Events',
      imports:
        'shared/*.ts shared/kinds shared/plan/observed shared/plan/drift shared/plan/decision shared/plan/*.ts',
      packages: 'node:crypto',
    },
    'shared/cluster': {
      holds: 'the API server: requests, lists, errors, retries; credentials',
      imports: 'shared/*.ts',
      packages: 'node:* p-limit p-retry socks yaml',
    },
    'shared/audit': {
      holds: "turns audit entries into requests; the log sink's filter",
      imports: 'shared/*.ts',
      packages: 'node:*',
    },
    'shared/run': {
      holds: 'what a run shares: clients, limits, policy',
      imports: 'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster',
      packages: 'node:* p-limit',
    },
    'shared/reading': {
      holds: 'listing and reading objects; owners of a child',
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/audit shared/run',
      packages: 'node:* p-map',
    },
    'shared/rollout': {
      holds: "gradual rollouts of a kind's new code",
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/run shared/reading',
      packages: 'node:crypto p-map',
    },
    'shared/resource': {
      holds: 'reconciles one resource',
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/run shared/reading shared/rollout',
      packages: 'node:* p-map @peculiar/x509 reflect-metadata',
    },
    'shared/resync': {
      holds: 'reconciles all resources of a request',
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/run shared/reading shared/rollout shared/resource',
      packages: 'node:* p-map',
    },
    'shared/preview': {
      holds: 'shows what a run would do',
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/run shared/reading shared/rollout shared/resource shared/resync',
      packages: 'p-map',
    },
    'shared/google': {
      holds: 'Google Cloud: tokens, Pub/Sub, buckets, logs',
      imports: 'shared/*.ts shared/cluster shared/audit',
      packages: 'node:* p-retry',
    },
    'shared/config': {
      holds: 'parses variables into a configuration',
      imports: 'shared/*.ts shared/log.ts shared/kinds shared/cluster shared/audit shared/google',
      packages: 'node:* typebox',
    },
    'shared/recording': {
      holds: 'recordings of runs and their replay',
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/config shared/run shared/rollout shared/resync shared/preview',
      packages: 'node:* p-limit',
    },
    'shared/controller': {
      holds: 'routes triggers to runs; run queue, fan-out',
      imports:
        'shared/*.ts shared/log.ts shared/kinds shared/plan shared/cluster shared/audit shared/config shared/run shared/reading shared/rollout shared/resync shared/preview shared/recording',
      packages: 'node:* p-limit p-retry',
    },
    'functions/telemetry': {
      holds: 'traces, metrics (OpenTelemetry)',
      imports: 'shared/*.ts shared/log.ts shared/plan shared/cluster shared/run',
      packages:
        'node:* @opentelemetry/api @opentelemetry/core @opentelemetry/exporter-metrics-otlp-http @opentelemetry/exporter-prometheus @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-metrics @opentelemetry/sdk-trace',
    },
    functions: {
      holds: 'HTTP entry points, composed in `function-context.ts`',
      imports:
        'reconciler.config.ts shared/*.ts shared/log.ts shared/config shared/controller shared/recording functions/telemetry',
      packages: 'node:* @google-cloud/functions-framework',
    },
    'infra/*.ts': {
      holds: 'what the directories of `infra/` share',
      imports: 'shared',
      packages: 'node:*',
    },
    'infra/boundaries': {
      holds: 'this table, and the check of the tree against it',
      imports: 'infra/*.ts',
      packages: 'node:*',
    },
    'infra/project': {
      holds: 'finds and loads a `reconciler.config.ts`',
      imports: 'shared/*.ts shared/config infra/*.ts',
      packages: 'node:*',
    },
    'infra/actions': {
      holds: 'what the command and the dashboard have in common',
      imports: 'shared infra/*.ts',
      packages: 'node:* p-map typebox',
    },
    'infra/recordings': {
      holds: 'the replay of recordings, and the impact of new code on a fleet',
      imports: 'shared infra/*.ts infra/actions infra/check infra/project',
      packages: 'node:* p-map typebox',
    },
    'infra/cli': {
      holds: 'the command `reconciler`',
      imports:
        'shared infra/*.ts infra/actions infra/project infra/generate infra/check infra/build infra/init infra/recordings infra/start infra/dashboard testing',
      packages: 'node:* commander p-map string-width typebox yaml',
    },
    'infra/app': {
      holds: "this repository's own commands",
      imports:
        'reconciler.config.ts index.ts systems shared infra/*.ts infra/cli infra/generate infra/check',
      packages: 'node:* commander typebox yaml',
    },
    'infra/generate': {
      holds:
        'CRDs, RBAC, samples and audit policy from the kinds; manifests that deploy the functions',
      imports: 'shared infra/*.ts',
      packages: 'node:* typebox yaml',
    },
    'infra/check': {
      holds:
        'checks of kinds; dry runs on an embedded API server, for these checks and for replays',
      imports: 'shared infra/*.ts infra/generate',
      packages: 'node:* typebox yaml @serverless-reconciler/local-cluster',
    },
    'infra/build': {
      holds: 'bundles the functions for deployment',
      imports: 'infra/*.ts',
      packages: 'node:* esbuild',
    },
    'infra/package': {
      holds: 'the published packages: compiled code and package.json files',
      imports: 'infra/*.ts',
      packages: 'node:*',
    },
    'infra/init': {
      holds: 'the files of a new project',
      imports: 'infra/*.ts',
      packages: 'node:*',
    },
    'infra/dashboard': {
      holds: 'the dashboard: one snapshot for all pages, its HTTP server',
      imports: 'shared infra/*.ts infra/actions',
      packages: 'node:* esbuild yaml @serverless-reconciler/local-cluster',
    },
    'infra/dashboard/page': {
      holds: "the dashboard's page, which runs in a browser",
      imports: 'shared infra/*.ts infra/actions infra/dashboard',
      packages: 'preact',
    },
    'infra/start': {
      holds: '`npm start`: functions, local cluster, clock, audit relay, reload',
      imports:
        'shared functions infra/*.ts infra/project infra/generate infra/check infra/dashboard',
      packages:
        'node:* yaml p-limit @google-cloud/functions-framework @serverless-reconciler/local-cluster',
    },
    'infra/local': {
      holds:
        'the package `@serverless-reconciler/local-cluster`: the embedded cluster and the real control plane, with their tests; entry points are its `exports`',
      imports: 'infra/local',
      packages: '*',
    },
    'infra/local/api-server': {
      holds: 'the embedded API server, in layers that import only lower ones',
      packages: 'node:* @marcbachmann/cel-js re2js undici yaml',
      layers:
        'json go errors objects schema cel validation fields patches storage selectors printing authentication requests protobuf authorization resources kinds decoding writes custom-resources verbs representations dispatch discovery faults audit http',
    },
    'infra/local/controllers': {
      holds: 'the controllers of the embedded cluster',
      imports: 'infra/local/api-server',
      packages: 'node:*',
    },
    testing: {
      holds:
        "what a user's tests import: an in-process test environment, and the laws that hold for every kind",
      imports: 'shared infra/*.ts infra/check infra/generate',
      packages: 'node:* fast-check typebox @serverless-reconciler/local-cluster',
    },
    test: {
      holds: 'see `test/README.md`',
      imports: '*',
      packages: '*',
    },
  },
};
