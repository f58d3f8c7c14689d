import { type Static, Type } from 'serverless-reconciler';
import { DeploymentStrategy, Duration, Lifecycle } from 'serverless-reconciler/types';
import { annotations, labels, podFields, subdomain } from '../resources.ts';
import { flat, options } from './options.ts';
import { count, flag, image, short, storage } from './storage-spec.ts';

const port = Type.Optional(Type.Integer({ minimum: 30000, maximum: 32767 }));

/** Becomes a file. */
const file = Type.Object(
  { options: Type.Record(Type.String(), Type.Unknown(), { default: {} }) },
  { default: { options: {} } },
);
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
const agent = Type.Object(
  {
    /** A sidecar is added by whoever makes the pod. */
    strategy: Type.Enum(['Sidecar', 'DaemonSet'], { default: 'Sidecar' }),
    image,
    options,
    hostNetwork: flag,
    dnsPolicy: Type.Optional(Type.Enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default'])),
    ...podFields,
  },
  { default: { strategy: 'Sidecar', options: {} } },
);

export const spec = Type.Object({
  platform: Type.Enum(['kubernetes', 'openshift'], { default: 'kubernetes' }),
  strategy: Type.Enum(['allinone', 'allInOne', 'all-in-one', 'production', 'streaming'], {
    default: 'allinone',
  }),
  version: Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100, default: '1.65.0' }),
  allInOne: Type.Object(
    { ...process, ...page },
    { default: { options: {}, tracingEnabled: true } },
  ),
  collector,
  query,
  ingester: Type.Object({ ...process, ...writer }, { default: writing }),
  agent,
  storage,
  sampling: file,
  ui: file,
  ingress: Type.Object(
    {
      enabled: Type.Boolean({ default: true }),
      hosts: Type.Array(subdomain, { maxItems: 16, default: [] }),
      pathType: Type.Enum(['Prefix', 'Exact', 'ImplementationSpecific'], {
        default: 'ImplementationSpecific',
      }),
      tls: Type.Optional(
        Type.Array(
          Type.Object({
            hosts: Type.Optional(Type.Array(subdomain, { maxItems: 16 })),
            secretName: Type.Optional(subdomain),
          }),
          { maxItems: 16 },
        ),
      ),
      /** Serves every host, unless `tls` is given. */
      secretName: Type.Optional(subdomain),
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

export type Nested = Static<typeof spec>;

/** Returns the spec with all options under their full names, and one spelling of each strategy. */
export const flattened = (given: Nested) => ({
  ...given,
  strategy: strategyOf(given),
  allInOne: flat(given.allInOne),
  collector: flat(given.collector),
  query: flat(given.query),
  ingester: flat(given.ingester),
  agent: flat(given.agent),
  storage: flat(given.storage),
  ingress: flat(given.ingress),
});

/** The parts that have options. */
export const withOptions = [
  'allInOne',
  'collector',
  'query',
  'ingester',
  'agent',
  'storage',
  'ingress',
] as const;

const strategyOf = ({ strategy }: Nested) =>
  strategy === 'production' || strategy === 'streaming' ? strategy : 'allinone';

export type Spec = ReturnType<typeof flattened>;
type Own = Spec['allInOne'] & Spec['collector'] & Spec['query'];
export type Process = Pick<Own, 'options'> & Partial<Own>;

const ofPods = Object.keys(podFields).filter((one) => one !== 'labels' && one !== 'annotations');
const processes = ['allInOne', 'collector', 'query', 'ingester'];
const ofAgents = ofPods.map((field) => `agent.${field}`);
const schedules = ['dependencies', 'esIndexCleaner', 'esRollover'].map((one) => `storage.${one}`);

/** Parts of objects that Kubernetes validates. What it refuses in them is in the condition of the Jaeger. */
export const passedOn = [
  ...ofPods,
  ...ofAgents,
  ...[...processes, ...schedules].flatMap((one) => ofPods.map((field) => `${one}.${field}`)),
  ...processes.map((one) => `${one}.strategy`),
  ...['resources', 'proxyResources', 'tolerations'].map((one) => `storage.elasticsearch.${one}`),
  'storage.cassandraCreateSchema.affinity',
  'collector.lifecycle',
  'ingress.resources',
];

export type Part = 'all-in-one' | 'collector' | 'query' | 'ingester' | 'agent';

export const hasAgents = ({ agent: { strategy } }: Spec): boolean => strategy === 'DaemonSet';

/** The processes of a strategy. */
export const partsOf = (given: Spec): readonly Part[] => [
  ...(given.strategy === 'allinone'
    ? (['all-in-one'] as const)
    : (['collector', 'query'] as const)),
  ...(given.strategy === 'streaming' ? (['ingester'] as const) : []),
  ...(hasAgents(given) ? (['agent'] as const) : []),
];

export const processOf = (given: Spec, part: Part) =>
  part === 'all-in-one' ? given.allInOne : given[part];
