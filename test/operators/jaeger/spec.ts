import { type Static, Type } from 'serverless-reconciler';
import {
  Affinity,
  DeploymentStrategy,
  Duration,
  Lifecycle,
  Quantity,
} from 'serverless-reconciler/types';
import { annotations, labels, podFields, subdomain } from '../resources.ts';

const image = Type.Optional(
  Type.String({ pattern: '^[a-z0-9][a-zA-Z0-9._/:@-]*$', maxLength: 300 }),
);
const options = Type.Record(Type.String(), Type.String({ maxLength: 1000 }), { default: {} });
const count = (least: number, most: number, value: number) =>
  Type.Integer({ minimum: least, maximum: most, default: value });
const port = Type.Optional(Type.Integer({ minimum: 30000, maximum: 32767 }));

/** What every process has. */
const process = { image, options, strategy: Type.Optional(DeploymentStrategy), ...podFields };
/** What the processes have that show traces. */
const page = {
  tracingEnabled: Type.Boolean({ default: true }),
  metricsStorage: Type.Optional(
    Type.Object({
      type: Type.Enum(['prometheus']),
      'server-url': Type.String({ pattern: '^https?://[^ ]+$', maxLength: 500 }),
    }),
  ),
};
const replicas = Type.Optional(Type.Integer({ minimum: 0, maximum: 100 }));
/** What the processes have that write traces. Without a number of replicas, they are scaled. */
const writer = {
  replicas,
  autoscale: Type.Boolean({ default: true }),
  minReplicas: count(1, 100, 1),
  maxReplicas: count(1, 100, 100),
  kafkaSecretName: Type.Optional(subdomain),
};
const serviceType = Type.Enum(['ClusterIP', 'NodePort', 'LoadBalancer'], { default: 'ClusterIP' });
const writing = { options: {}, autoscale: true, minReplicas: 1, maxReplicas: 100 };

const collector = Type.Object(
  {
    ...process,
    ...writer,
    serviceType,
    lifecycle: Type.Optional(Lifecycle),
    terminationGracePeriodSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  },
  { default: { ...writing, serviceType: 'ClusterIP' } },
);
const query = Type.Object(
  { ...process, ...page, replicas, serviceType, nodePort: port, grpcNodePort: port },
  { default: { options: {}, tracingEnabled: true, serviceType: 'ClusterIP' } },
);

/** Minute, hour, day of the month, month and day of the week, each any, every so many, or a list of numbers. */
const cron = ['[1-5]?[0-9]', '1?[0-9]|2[0-3]', '[1-9]|[12][0-9]|3[01]', '[1-9]|1[0-2]', '[0-6]']
  .map((number) => `(\\*(/[1-9])?|(${number})(,(${number}))*)`)
  .join(' ');
const limit = Type.Optional(Type.Integer({ minimum: 0, maximum: 100 }));
/** What every Job at times has. */
const scheduled = (schedule: string) => ({
  image,
  schedule: Type.String({ pattern: `^${cron}$`, maxLength: 100, default: schedule }),
  successfulJobsHistoryLimit: limit,
  backoffLimit: limit,
  ttlSecondsAfterFinished: Type.Optional(Type.Integer({ minimum: 600, maximum: 31_536_000 })),
  ...podFields,
});
const flag = Type.Optional(Type.Boolean());
const short = Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));
const nightly = '55 23 * * *';
/** A default next to a rule has to be complete. */
const storage = {
  type: 'memory' as const,
  options: {},
  cassandraCreateSchema: {
    enabled: true,
    datacenter: 'test',
    mode: 'prod' as const,
    timeout: '24h',
  },
  dependencies: { enabled: true, schedule: nightly },
  esIndexCleaner: { enabled: true, numberOfDays: 7, schedule: nightly },
  esRollover: { schedule: '0 0 * * *' },
  elasticsearch: {
    name: 'elasticsearch',
    doNotProvision: false,
    nodeCount: 3,
    redundancyPolicy: 'SingleRedundancy' as const,
  },
};

export const spec = Type.Object({
  platform: Type.Enum(['kubernetes', 'openshift'], { default: 'kubernetes' }),
  strategy: Type.Enum(['allinone', 'production', 'streaming'], { default: 'allinone' }),
  version: Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100, default: '1.65.0' }),
  allInOne: Type.Object(
    { ...process, ...page },
    { default: { options: {}, tracingEnabled: true } },
  ),
  collector,
  query,
  ingester: Type.Object({ ...process, ...writer }, { default: writing }),
  storage: Type.Object(
    {
      type: Type.Enum(['memory', 'badger', 'cassandra', 'elasticsearch', 'grpc'], {
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
        { default: storage.cassandraCreateSchema },
      ),
      dependencies: Type.Object(
        {
          enabled: Type.Boolean({ default: true }),
          sparkMaster: short,
          javaOpts: short,
          elasticsearchTimeRange: short,
          cassandraClientAuthEnabled: flag,
          elasticsearchClientNodeOnly: flag,
          elasticsearchNodesWanOnly: flag,
          ...scheduled(nightly),
        },
        { default: storage.dependencies },
      ),
      esIndexCleaner: Type.Object(
        {
          enabled: Type.Boolean({ default: true }),
          numberOfDays: count(1, 10_000, 7),
          ...scheduled(nightly),
        },
        { default: storage.esIndexCleaner },
      ),
      /** For Elasticsearch with the option `es.use-aliases`. */
      esRollover: Type.Object(
        {
          readTTL: Type.Optional(Duration),
          conditions: Type.Optional(Type.String({ minLength: 2, maxLength: 500 })),
          ...scheduled('0 0 * * *'),
        },
        { default: storage.esRollover },
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
          redundancyPolicy: Type.Enum(
            ['FullRedundancy', 'MultipleRedundancy', 'SingleRedundancy', 'ZeroRedundancy'],
            { default: 'SingleRedundancy' },
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
        { default: storage.elasticsearch },
      ),
    },
    { default: storage },
  ),
  /** Files in JSON. */
  sampling: Type.String({ maxLength: 50_000, default: '{}' }),
  ui: Type.String({ maxLength: 50_000, default: '{}' }),
  ingress: Type.Object(
    {
      enabled: Type.Boolean({ default: true }),
      hosts: Type.Array(subdomain, { maxItems: 16, default: [] }),
      pathType: Type.Enum(['Prefix', 'Exact', 'ImplementationSpecific'], { default: 'Prefix' }),
      tls: Type.Optional(
        Type.Array(
          Type.Object({
            hosts: Type.Optional(Type.Array(subdomain, { maxItems: 16 })),
            secretName: Type.Optional(subdomain),
          }),
          { maxItems: 16 },
        ),
      ),
      ingressClassName: Type.Optional(
        Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 63 }),
      ),
      labels: Type.Optional(labels),
      annotations: Type.Optional(annotations),
      /** On OpenShift, the pages are behind its OAuth proxy, unless this is `none`. */
      security: Type.Optional(Type.Enum(['none', 'oauth-proxy'])),
      /** The image, options and resources of that proxy. */
      image,
      options,
      resources: podFields.resources,
      openshift: Type.Object(
        {
          sar: short,
          htpasswdFile: short,
          skipLogout: flag,
          timeout: Type.Optional(Duration),
        },
        { default: {} },
      ),
    },
    { default: { options: {}, openshift: {} } },
  ),
  /** For the pods that say nothing else themselves. */
  ...podFields,
});

export type Spec = Static<typeof spec>;
type Own = Spec['allInOne'] & Spec['collector'] & Spec['query'];
export type Process = Pick<Own, 'options'> & Partial<Own>;

const ofPods = Object.keys(podFields).filter((one) => one !== 'labels' && one !== 'annotations');
const processes = ['allInOne', 'collector', 'query', 'ingester'];
const schedules = ['dependencies', 'esIndexCleaner', 'esRollover'].map((one) => `storage.${one}`);

/** Parts of objects that Kubernetes validates. What it refuses in them is in the condition of the Jaeger. */
export const passedOn = [
  ...ofPods,
  ...[...processes, ...schedules].flatMap((one) => ofPods.map((field) => `${one}.${field}`)),
  ...processes.map((one) => `${one}.strategy`),
  ...['resources', 'proxyResources', 'tolerations'].map((one) => `storage.elasticsearch.${one}`),
  'storage.cassandraCreateSchema.affinity',
  'collector.lifecycle',
  'ingress.resources',
];

export type Part = 'all-in-one' | 'collector' | 'query' | 'ingester';
