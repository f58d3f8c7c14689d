import {
  type api,
  type Child,
  child,
  cronJob,
  digestOf,
  job,
  type Need,
  workloadName,
} from 'serverless-reconciler';
import { secondsIn } from 'serverless-reconciler/types';
import { mergedFields, type PodFields, podOf } from '../resources.ts';
import { textsOf } from './options.ts';
import type { Spec } from './spec.ts';

type Storage = Spec['storage'];

/** Returns the Jobs that complete before any process of that version rolls. */
export const stepsOf = (name: string, spec: Spec, needs: readonly Need[]): readonly Child[] => [
  ...schemaStep(name, spec),
  ...aliasStep(name, spec, needs),
];

/** Makes or changes the schema of Cassandra. */
function schemaStep(name: string, spec: Spec): readonly Child[] {
  const { version, storage } = spec;
  const { enabled, image, datacenter, mode, traceTTL, timeout, affinity } =
    storage.cassandraCreateSchema;
  if (storage.type !== 'cassandra' || !enabled) return [];
  const options = textsOf(storage.options);
  const env = envOf({
    CQLSH_HOST: options['cassandra.servers']?.split(',')[0] ?? 'cassandra',
    CQLSH_PORT: options['cassandra.port'] ?? '9042',
    KEYSPACE: options['cassandra.keyspace'] ?? keyspace,
    CASSANDRA_USERNAME: options['cassandra.username'],
    CASSANDRA_PASSWORD: options['cassandra.password'],
    MODE: mode,
    DATACENTER: datacenter,
    TRACE_TTL: traceTTL && String(secondsIn(traceTTL)),
  });
  const made = image ?? `jaegertracing/jaeger-cassandra-schema:${version}`;
  const { affinity: _, ...fields } = mergedFields<PodFields>(spec, spec.collector);
  return [
    step(name, 'schema', {
      activeDeadlineSeconds: Math.max(1, secondsIn(timeout)),
      template: podTemplate(
        { ...fields, ...(affinity && { affinity }) },
        { name: 'schema', image: made, env, ...secretOf(storage) },
      ),
    }),
  ];
}

const keyspace = 'jaeger_v1_test';

/** Makes the indices that the aliases stand for. */
function aliasStep(name: string, spec: Spec, needs: readonly Need[]): readonly Child[] {
  const { storage } = spec;
  if (!isRolledOver(storage)) return [];
  const { 'es.num-shards': SHARDS, 'es.num-replicas': REPLICAS } = textsOf(storage.options);
  const container = rollover('init', spec);
  const env = [...container.env, ...envOf({ SHARDS, REPLICAS })];
  const template = podTemplate(mergedFields(spec, storage.esRollover), { ...container, env });
  return [{ ...step(name, 'es-rollover-init', { template }), needs }];
}

const step = (name: string, what: string, spec: api.JobSpec): Child =>
  child(job, {
    name: workloadName(`${name}-${what}-${digestOf(spec).slice(0, 12)}`),
    step: 'once',
    body: { spec },
  });

/** The Jobs at times: the graph of dependencies, and the change and removal of old indices. */
export function schedules(name: string, spec: Spec): readonly Child[] {
  const { type, dependencies, esIndexCleaner } = spec.storage;
  return [
    ...(hasDependencies(spec.storage)
      ? [scheduled(name, spec, { given: dependencies, container: graph(spec) })]
      : []),
    ...(esIndexCleaner.enabled && type === 'elasticsearch'
      ? [scheduled(name, spec, { given: esIndexCleaner, container: cleaner(spec) })]
      : []),
    ...(isRolledOver(spec.storage) ? rollovers(name, spec) : []),
  ];
}

/** Spark does not use certificates for Elasticsearch, so the graph is then made only if the spec says so. */
export function hasDependencies({ type, options, dependencies: { enabled } }: Storage): boolean {
  if (type !== 'cassandra' && type !== 'elasticsearch') return false;
  const { 'es.tls.ca': ca = '', ...texts } = textsOf(options);
  const flags = ['es.tls', 'es.tls.enabled', 'es.tls.skip-host-verify'];
  return enabled ?? (ca === '' && flags.every((name) => texts[name] !== 'true'));
}

interface Scheduled {
  readonly given: Storage['esRollover'];
  readonly container: api.Container;
}

const scheduled = (name: string, spec: Spec, { given, container }: Scheduled): Child => {
  const { schedule, successfulJobsHistoryLimit, backoffLimit, ttlSecondsAfterFinished } = given;
  const template = podTemplate(mergedFields(spec, given), container);
  return child(cronJob, {
    name: `${name}-${container.name}`,
    body: {
      spec: {
        schedule,
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit,
        jobTemplate: { spec: { backoffLimit, ttlSecondsAfterFinished, template } },
      },
    },
  });
};

function podTemplate(
  { livenessProbe: _, ...fields }: PodFields,
  container: api.Container,
): api.PodTemplateSpec {
  const annotations = { 'sidecar.istio.io/inject': 'false', 'linkerd.io/inject': 'disabled' };
  const spec = { restartPolicy: 'OnFailure' };
  return podOf(fields, { labels: {}, annotations, container, spec });
}

function graph({ storage }: Spec): api.Container {
  const { dependencies: given } = storage;
  const options = textsOf(storage.options);
  const elastic = {
    ES_NODES: options['es.server-urls'] ?? defaultServer,
    ES_INDEX_PREFIX: options['es.index-prefix'],
    ES_INDEX_DATE_SEPARATOR: options['es.index-date-separator'],
    ES_USERNAME: options['es.username'],
    ES_PASSWORD: options['es.password'],
    ES_USE_ALIASES: options['es.use-aliases'],
    ES_TIME_RANGE: given.elasticsearchTimeRange,
    ES_NODES_WAN_ONLY: given.elasticsearchNodesWanOnly?.toString(),
    ES_CLIENT_NODE_ONLY: given.elasticsearchClientNodeOnly?.toString(),
  };
  const cassandra = {
    CASSANDRA_CONTACT_POINTS: options['cassandra.servers'] ?? 'cassandra',
    CASSANDRA_KEYSPACE: options['cassandra.keyspace'] ?? keyspace,
    CASSANDRA_USERNAME: options['cassandra.username'],
    CASSANDRA_PASSWORD: options['cassandra.password'],
    CASSANDRA_USE_SSL: options['cassandra.tls'],
    CASSANDRA_LOCAL_DC: options['cassandra.local-dc'],
    CASSANDRA_CLIENT_AUTH_ENABLED: given.cassandraClientAuthEnabled?.toString(),
  };
  return {
    name: 'spark-dependencies',
    image: given.image ?? 'jaegertracing/spark-dependencies:latest',
    env: envOf({
      STORAGE: storage.type,
      SPARK_MASTER: given.sparkMaster,
      JAVA_OPTS: given.javaOpts,
      ...(storage.type === 'elasticsearch' ? elastic : cassandra),
    }),
    ...secretOf(storage),
  };
}

const cleaner = ({ version, storage }: Spec): api.Container => ({
  name: 'es-index-cleaner',
  image: storage.esIndexCleaner.image ?? `jaegertracing/jaeger-es-index-cleaner:${version}`,
  args: [String(storage.esIndexCleaner.numberOfDays), serverOf(storage)],
  env: [...scriptEnv(storage), ...envOf({ ROLLOVER: isRolledOver(storage) ? 'true' : undefined })],
  ...secretOf(storage),
});

/** Writes to new indices from time to time, and takes old ones out of the alias for reading. */
function rollovers(name: string, spec: Spec): readonly Child[] {
  const { conditions, readTTL } = spec.storage.esRollover;
  const limits = {
    rollover: { CONDITIONS: conditions },
    lookback: readTTL === undefined ? {} : { UNIT: 'seconds', UNIT_COUNT: `${secondsIn(readTTL)}` },
  };
  return Object.entries(limits).map(([action, limit]) => {
    const container = rollover(action, spec);
    const env = [...container.env, ...envOf(limit)];
    return scheduled(name, spec, {
      given: spec.storage.esRollover,
      container: { ...container, env },
    });
  });
}

const rollover = (action: string, { version, storage }: Spec) => ({
  name: `es-${action === 'init' ? 'rollover-init' : action}`,
  image: storage.esRollover.image ?? `jaegertracing/jaeger-es-rollover:${version}`,
  args: [action, serverOf(storage)],
  env: scriptEnv(storage),
  ...secretOf(storage),
});

const isRolledOver = ({ type, options }: Storage): boolean =>
  type === 'elasticsearch' && textsOf(options)['es.use-aliases'] === 'true';

const defaultServer = 'http://elasticsearch:9200';

const serverOf = ({ options }: Storage): string =>
  textsOf(options)['es.server-urls']?.split(',')[0] ?? defaultServer;

/** The options that the scripts for indices read from their environment. */
const scriptEnv = (storage: Storage): api.EnvVar[] => {
  const options = textsOf(storage.options);
  return envOf({
    INDEX_PREFIX: options['es.index-prefix'],
    INDEX_DATE_SEPARATOR: options['es.index-date-separator'],
    ES_USERNAME: options['es.username'],
    ES_PASSWORD: options['es.password'],
    ES_TLS_ENABLED: options['es.tls.enabled'],
    ES_TLS_CA: options['es.tls.ca'],
    ES_TLS_CERT: options['es.tls.cert'],
    ES_TLS_KEY: options['es.tls.key'],
    ES_TLS_SKIP_HOST_VERIFY: options['es.tls.skip-host-verify'],
  });
};

const envOf = (values: Readonly<Record<string, string | undefined>>): api.EnvVar[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));

const secretOf = ({ secretName }: Storage) =>
  secretName === undefined ? {} : { envFrom: [{ secretRef: { name: secretName } }] };
