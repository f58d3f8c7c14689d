import { Type } from 'serverless-reconciler';
import { Affinity, Duration, Quantity } from 'serverless-reconciler/types';
import { podFields, subdomain } from '../resources.ts';
import { options } from './options.ts';

export const image = Type.Optional(
  Type.String({ pattern: '^[a-z0-9][a-zA-Z0-9._/:@-]*$', maxLength: 300 }),
);
export const count = (least: number, most: number, value: number) =>
  Type.Integer({ minimum: least, maximum: most, default: value });
export const flag = Type.Optional(Type.Boolean());
export const short = Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));

/** Minute, hour, day of the month, month and day of the week, each any, every so many, or a list of numbers. */
const cron = ['[1-5]?[0-9]', '1?[0-9]|2[0-3]', '[1-9]|[12][0-9]|3[01]', '[1-9]|1[0-2]', '[0-6]']
  .map((number) => `(\\*(/[1-9])?|(${number})(,(${number}))*)`)
  .join(' ');
const limit = Type.Optional(Type.Integer({ minimum: 0, maximum: 100 }));
/** Fields that some Jobs have. */
const scheduled = (schedule: string) => ({
  image,
  schedule: Type.String({ pattern: `^${cron}$`, maxLength: 100, default: schedule }),
  successfulJobsHistoryLimit: limit,
  backoffLimit: limit,
  ttlSecondsAfterFinished: Type.Optional(Type.Integer({ minimum: 600, maximum: 31_536_000 })),
  ...podFields,
});
const nightly = '55 23 * * *';
/** A default next to a rule has to be complete. */
const defaults = {
  type: 'memory' as const,
  options: {},
  cassandraCreateSchema: {
    enabled: true,
    datacenter: 'test',
    mode: 'prod' as const,
    timeout: '24h',
  },
  dependencies: { schedule: nightly },
  esIndexCleaner: { enabled: true, numberOfDays: 7, schedule: nightly },
  grpcPlugin: {},
  esRollover: { schedule: '0 0 * * *' },
  elasticsearch: { name: 'elasticsearch', doNotProvision: false, nodeCount: 3 },
};

export const storage = Type.Object(
  {
    type: Type.Enum(['memory', 'badger', 'cassandra', 'elasticsearch', 'grpc', 'grpc-plugin'], {
      default: 'memory',
    }),
    options,
    secretName: Type.Optional(subdomain),
    cassandraCreateSchema: Type.Object(
      {
        enabled: Type.Boolean({ default: true }),
        image,
        datacenter: Type.String({ minLength: 1, maxLength: 100, default: 'test' }),
        mode: Type.Enum(['prod', 'test'], { default: 'prod' }),
        traceTTL: Type.Optional(Duration),
        timeout: { ...Duration, default: '24h' },
        affinity: Type.Optional(Affinity),
      },
      { default: defaults.cassandraCreateSchema },
    ),
    dependencies: Type.Object(
      {
        enabled: flag,
        sparkMaster: short,
        javaOpts: short,
        elasticsearchTimeRange: short,
        cassandraClientAuthEnabled: flag,
        elasticsearchClientNodeOnly: flag,
        elasticsearchNodesWanOnly: flag,
        ...scheduled(nightly),
      },
      { default: defaults.dependencies },
    ),
    esIndexCleaner: Type.Object(
      {
        enabled: Type.Boolean({ default: true }),
        numberOfDays: count(1, 10_000, 7),
        ...scheduled(nightly),
      },
      { default: defaults.esIndexCleaner },
    ),
    /** Copies a program to /plugin, which runs beside each process that uses the storage. */
    grpcPlugin: Type.Object({ image }, { default: {} }),
    /** For Elasticsearch with the option `es.use-aliases`. */
    esRollover: Type.Object(
      {
        readTTL: Type.Optional(Duration),
        conditions: Type.Optional(Type.String({ minLength: 2, maxLength: 500 })),
        ...scheduled('0 0 * * *'),
      },
      { default: defaults.esRollover },
    ),
    /** On OpenShift, without the option `es.server-urls`. */
    elasticsearch: Type.Object(
      {
        // Becomes a host name, and a part of an annotation's.
        name: Type.String({
          pattern: '^[a-z]([a-z0-9-]*[a-z0-9])?$',
          maxLength: 40,
          default: 'elasticsearch',
        }),
        doNotProvision: Type.Boolean({ default: false }),
        nodeCount: count(1, 100, 3),
        redundancyPolicy: Type.Optional(
          Type.Enum(['FullRedundancy', 'MultipleRedundancy', 'SingleRedundancy', 'ZeroRedundancy']),
        ),
        image,
        storage: Type.Optional(
          Type.Object({
            storageClassName: Type.Optional(subdomain),
            size: Type.Optional(Quantity),
          }),
        ),
        resources: podFields.resources,
        proxyResources: podFields.resources,
        nodeSelector: podFields.nodeSelector,
        tolerations: podFields.tolerations,
      },
      { default: defaults.elasticsearch },
    ),
  },
  { default: defaults },
);
