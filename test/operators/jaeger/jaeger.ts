import {
  type api,
  type Child,
  child,
  configMap,
  cronJob,
  defineKind,
  deployment,
  dnsLabel,
  horizontalPodAutoscaler,
  ingress,
  job,
  labelValue,
  nameAtMost,
  objectName,
  rollOnChange,
  secret,
  service,
  Type,
  workloadName,
} from 'serverless-reconciler';
import { schedules, schemaStep } from './jobs.ts';
import { type Component, type Spec, spec } from './spec.ts';

/** Jaeger: all in one process, or collectors and queries over a storage whose schema is made before they roll. */
export const jaeger = defineKind({
  group: 'jaegertracing.io',
  version: 'v1',
  kind: 'Jaeger',
  plural: 'jaegers',
  spec,
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Strategy', type: 'string', jsonPath: '.spec.strategy' },
    { name: 'Storage', type: 'string', jsonPath: '.spec.storage.type' },
  ],
  rules: [nameAtMost(30)],
  samples: [
    { name: 'simplest', spec: {} },
    {
      name: 'prod',
      spec: {
        strategy: 'production',
        storage: { type: 'cassandra', options: { 'cassandra.servers': 'cassandra' } },
      },
    },
  ],
  owns: [...[job, cronJob, configMap, deployment, service], ...[horizontalPodAutoscaler, ingress]],
  reads: { credentials: { type: secret, name: ({ spec }) => spec.storage.secretName } },
  refuse: ({ strategy, storage }) =>
    strategy !== 'allinone' && storage.type === 'memory'
      ? `strategy ${strategy} needs a storage that its processes share: cassandra or elasticsearch`
      : undefined,
  children({ name, spec, reads: { credentials } }) {
    const files = child(configMap, {
      name: objectName(`${name}-configuration`),
      body: { data: { sampling: spec.sampling, ui: spec.ui } },
    });
    const schema = schemaStep(name, spec);
    const given = { name, spec, files, schema, annotations: rollOnChange(files, credentials) };
    return [
      files,
      ...(schema === undefined ? [] : [schema]),
      ...processes(given),
      ...schedules(name, spec),
    ];
  },
  status: { phase: Type.Optional(Type.String()), version: Type.Optional(Type.String()) },
  statusOf: ({ state, spec }) => ({
    phase: state === 'Ready' ? 'Running' : 'Pending',
    ...(spec === undefined ? {} : { version: spec.version }),
  }),
});

interface Given {
  readonly name: string;
  readonly spec: Spec;
  readonly files: Child;
  readonly schema: Child | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

type Part = 'all-in-one' | 'collector' | 'query' | 'ingester';

const port = (name: string, containerPort: number) => ({
  name,
  containerPort,
  protocol: 'TCP' as const,
});
const [grpc, http] = [port('otlp-grpc', 4317), port('otlp-http', 4318)];
const receivers = [grpc, http];
const page = port('ui', 16686);

/** The ports of each process, the one for probes first. */
const ports: Readonly<Record<Part, readonly ReturnType<typeof port>[]>> = {
  'all-in-one': [port('admin', 14269), ...receivers, page],
  collector: [port('admin', 14269), ...receivers],
  query: [port('admin', 16687), page],
  ingester: [port('admin', 14270)],
};

function processes(given: Given): readonly Child[] {
  const { spec } = given;
  const { strategy, allInOne, collector, query, ingester } = spec;
  if (strategy === 'allinone')
    return [
      ...running(given, 'all-in-one', allInOne),
      ...collectors(given, 'all-in-one'),
      ...pagesOf(given, 'all-in-one'),
    ];
  return [
    ...running(given, 'collector', collector),
    ...collectors(given, 'collector'),
    ...running(given, 'query', query),
    ...pagesOf(given, 'query'),
    ...(strategy === 'streaming' ? running(given, 'ingester', ingester) : []),
  ];
}

const labelsOf = (name: string, part: string) => ({
  app: 'jaeger',
  'app.kubernetes.io/instance': labelValue(name),
  'app.kubernetes.io/component': part,
});

/** The storage of a process: in the streaming strategy, collectors write to Kafka. */
const storageOf = ({ strategy, storage }: Spec, part: Part): string =>
  strategy === 'streaming' && part === 'collector' ? 'kafka' : storage.type;

function running(given: Given, part: Part, component: Component): readonly Child[] {
  const { name, spec, files, schema } = given;
  const { replicas, autoscale } = component;
  const labels = labelsOf(name, part);
  const made = child(deployment, {
    name: workloadName(`${name}-${part}`),
    needs: [files, ...(schema === undefined ? [] : [schema])],
    handsOver: ['spec.replicas'],
    body: {
      spec: {
        ...(replicas === undefined || autoscale !== undefined ? {} : { replicas }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: given.annotations },
          spec: { ...podOf(spec), ...containersOf(given, part, component) },
        },
      },
    },
  });
  if (autoscale === undefined) return [made];
  const { minReplicas, maxReplicas } = autoscale;
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: made.name };
  return [
    made,
    child(horizontalPodAutoscaler, {
      name: made.name,
      actsOn: made,
      body: {
        spec: {
          scaleTargetRef: target,
          minReplicas,
          maxReplicas: Math.max(minReplicas, maxReplicas),
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 90 } },
            },
          ],
        },
      },
    }),
  ];
}

const podOf = ({ affinity, tolerations }: Spec) => ({
  ...(affinity === undefined ? {} : { affinity }),
  ...(tolerations === undefined ? {} : { tolerations }),
});

const argsOf = (options: Readonly<Record<string, string>>): string[] =>
  Object.keys(options)
    .toSorted()
    .map((key) => `--${key}=${options[key]}`);

function containersOf({ spec, files }: Given, part: Part, { image, ...given }: Component) {
  const { storage, resources, version } = spec;
  const container: api.Container = {
    name: 'jaeger',
    image: image ?? `jaegertracing/${part === 'all-in-one' ? part : `jaeger-${part}`}:${version}`,
    args: argsOf({ ...storage.options, ...given.options, ...fileOptions[part] }),
    env: [{ name: 'SPAN_STORAGE_TYPE', value: storageOf(spec, part) }],
    ...credentialsOf(spec),
    ...(resources === undefined ? {} : { resources: { requests: resources, limits: resources } }),
    ports: ports[part].map(({ name: _, ...one }) => one),
    readinessProbe: { httpGet: { path: '/', port: ports[part][0]?.containerPort ?? 0 } },
    volumeMounts: [{ name: 'files', mountPath: '/etc/jaeger', readOnly: true }],
  };
  return {
    containers: [container],
    volumes: [{ name: 'files', configMap: { name: files.name } }],
  };
}

const sampling = { 'sampling.strategies-file': '/etc/jaeger/sampling' };
const ui = { 'query.ui-config': '/etc/jaeger/ui' };
const fileOptions: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  'all-in-one': { ...sampling, ...ui },
  collector: sampling,
  query: ui,
  ingester: {},
};

const credentialsOf = ({ storage: { secretName } }: Spec) =>
  secretName === undefined ? {} : { envFrom: [{ secretRef: { name: secretName } }] };

function serviceOf(
  { name }: Given,
  suffix: string,
  part: Part,
  { name: of, containerPort, protocol }: ReturnType<typeof port>,
): Child {
  return child(service, {
    name: dnsLabel(`${name}-${suffix}`),
    body: {
      spec: {
        selector: labelsOf(name, part),
        ports: [{ name: of, port: containerPort, protocol, targetPort: containerPort }],
      },
    },
  });
}

const collectors = (given: Given, part: Part): readonly Child[] => [
  serviceOf(given, 'collector', part, grpc),
  serviceOf(given, 'collector-http', part, http),
];

function pagesOf(given: Given, part: Part): readonly Child[] {
  const { enabled, host, ingressClassName } = given.spec.ingress;
  const to = serviceOf(given, 'query', part, page);
  if (!enabled) return [to];
  const backend = { service: { name: to.name, port: { name: 'ui' } } };
  const http = { paths: [{ path: '/', pathType: 'Prefix' as const, backend }] };
  return [
    to,
    child(ingress, {
      name: to.name,
      actsOn: to,
      body: {
        spec: {
          ...(ingressClassName === undefined ? {} : { ingressClassName }),
          rules: [host === undefined ? { http } : { host, http }],
        },
      },
    }),
  ];
}
