import { type Child, child, cronJob, digestOf, job, workloadName } from 'serverless-reconciler';
import { secondsIn } from 'serverless-reconciler/types';
import type { Spec } from './spec.ts';

/** Makes or changes the schema of Cassandra, before any process of that version rolls. */
export function schemaStep(name: string, { version, storage }: Spec): Child | undefined {
  const { enabled, image, datacenter, mode, traceTTL, timeout, affinity } =
    storage.cassandraCreateSchema;
  if (storage.type !== 'cassandra' || !enabled) return undefined;
  const values = {
    CQLSH_HOST: storage.options['cassandra.servers'] ?? 'cassandra',
    CQLSH_PORT: storage.options['cassandra.port'] ?? '9042',
    KEYSPACE: storage.options['cassandra.keyspace'] ?? 'jaeger_v1_test',
    MODE: mode,
    DATACENTER: datacenter,
    ...(traceTTL === undefined ? {} : { TRACE_TTL: String(secondsIn(traceTTL)) }),
  };
  const spec = {
    activeDeadlineSeconds: Math.max(1, secondsIn(timeout)),
    template: {
      spec: {
        restartPolicy: 'OnFailure' as const,
        ...(affinity === undefined ? {} : { affinity }),
        containers: [
          {
            name: 'schema',
            image: image ?? `jaegertracing/jaeger-cassandra-schema:${version}`,
            env: envOf(values),
            ...credentialsOf(storage),
          },
        ],
      },
    },
  };
  return child(job, {
    name: workloadName(`${name}-schema-${digestOf(spec).slice(0, 12)}`),
    step: 'once',
    body: { spec },
  });
}

const envOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

const credentialsOf = ({ secretName }: Spec['storage']) =>
  secretName === undefined ? {} : { envFrom: [{ secretRef: { name: secretName } }] };

/** The Jobs at times: the graph of dependencies, and the removal of old indices. */
export function schedules(name: string, { version, storage }: Spec): readonly Child[] {
  const { type, options, dependencies, esIndexCleaner } = storage;
  const servers = options['es.server-urls'] ?? 'http://elasticsearch:9200';
  const isElastic = type === 'elasticsearch';
  const hosts = isElastic
    ? { ES_NODES: servers }
    : { CASSANDRA_CONTACT_POINTS: options['cassandra.servers'] ?? 'cassandra' };
  return [
    ...(dependencies.enabled && type !== 'memory'
      ? [
          scheduled(name, storage, {
            what: 'spark-dependencies',
            schedule: dependencies.schedule,
            image: dependencies.image ?? 'jaegertracing/spark-dependencies:latest',
            env: envOf({ STORAGE: type, ...hosts }),
          }),
        ]
      : []),
    ...(esIndexCleaner.enabled && isElastic
      ? [
          scheduled(name, storage, {
            what: 'es-index-cleaner',
            schedule: esIndexCleaner.schedule,
            image: esIndexCleaner.image ?? `jaegertracing/jaeger-es-index-cleaner:${version}`,
            args: [String(esIndexCleaner.numberOfDays), servers],
          }),
        ]
      : []),
  ];
}

interface Scheduled {
  readonly what: string;
  readonly schedule: string;
  readonly image: string;
  readonly env?: { name: string; value: string }[];
  readonly args?: string[];
}

const scheduled = (name: string, storage: Spec['storage'], given: Scheduled): Child => {
  const { what, schedule, ...container } = given;
  const containers = [{ name: what, ...container, ...credentialsOf(storage) }];
  return child(cronJob, {
    name: `${name}-${what}`,
    body: {
      spec: {
        schedule,
        concurrencyPolicy: 'Forbid' as const,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'OnFailure' as const, containers } } },
        },
      },
    },
  });
};
