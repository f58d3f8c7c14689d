import {
  type api,
  type Child,
  child,
  deployment,
  horizontalPodAutoscaler,
  workloadName,
} from 'serverless-reconciler';
import { mergedFields, podOf } from '../resources.ts';
import { caFiles, collectorTls } from './ca.ts';
import { brokersOf, kafkaFiles } from './kafka.ts';
import { argsOf, type Options } from './options.ts';
import { pluginOf } from './plugin.ts';
import { adminPort, type Port, portsOf } from './ports.ts';
import { proxied } from './proxy.ts';
import { collectors, type Given, labelsOf, pagesOf } from './services.ts';
import type { Part, Process, Spec } from './spec.ts';

export function processes(given: Given): readonly Child[] {
  const { strategy, allInOne, collector, query, ingester } = given.spec;
  if (strategy === 'allinone')
    return [
      running(given, 'all-in-one', allInOne),
      ...collectors(given, 'all-in-one'),
      ...pagesOf(given, 'all-in-one'),
    ];
  return [
    ...scaled(given, 'collector', collector),
    ...collectors(given, 'collector'),
    running(given, 'query', query),
    ...pagesOf(given, 'query'),
    ...(strategy === 'streaming' ? scaled(given, 'ingester', ingester) : []),
  ];
}

/** Annotations for pods that are measured, and that no mesh changes. */
export const injected = ({ containerPort }: Port) => ({
  'prometheus.io/scrape': 'true',
  'prometheus.io/port': String(containerPort),
  'sidecar.istio.io/inject': 'false',
  'linkerd.io/inject': 'disabled',
});

function running(given: Given, part: Part, process: Process): Child {
  const { name, spec, files, account, needs } = given;
  const labels = labelsOf(name, part);
  const fields = mergedFields(spec, process);
  const plugin = pluginOf(spec, storageOf(spec, part), fields);
  const main = container(given, part, process);
  const volumes = [
    { name: 'files', configMap: { name: files.name } },
    ...(part === 'query' ? [] : kafkaFiles(name, spec).volumes),
    ...collectorTls(name, spec, part).volumes,
    ...serviceCa(name, spec, part).volumes,
    ...plugin.volumes,
  ];
  const pod = podOf(fields, {
    labels,
    annotations: {
      ...injected(adminPort(part, process.options)),
      ...fields.annotations,
      ...given.annotations,
    },
    volumes,
    container: {
      ...main,
      volumeMounts: [...(main.volumeMounts ?? []), ...plugin.volumeMounts],
    },
    spec: {
      initContainers: plugin.initContainers,
      serviceAccountName: account.name,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: process.terminationGracePeriodSeconds,
    },
  });
  return child(deployment, {
    name: workloadName(`${name}-${part}`),
    labels: { ...fields.labels },
    needs,
    handsOver: ['spec.replicas'],
    body: {
      spec: {
        replicas: process.replicas,
        selector: { matchLabels: labels },
        // Files of Badger are open in one pod at a time.
        strategy: process.strategy ?? { type: 'Recreate' },
        template: isPage(part) ? proxied(given, fields, pod) : pod,
      },
    },
  });
}

/** A process that is scaled, unless the number of its replicas is given. */
function scaled(given: Given, part: Part, process: Spec['ingester']): readonly Child[] {
  const made = running(given, part, process);
  const { replicas, autoscale, minReplicas, maxReplicas } = process;
  if (!autoscale || replicas !== undefined) return [made];
  return [
    made,
    child(horizontalPodAutoscaler, {
      name: made.name,
      labels: { ...made.labels },
      actsOn: made,
      body: {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: made.name },
          minReplicas,
          maxReplicas: Math.max(minReplicas, maxReplicas),
          metrics: ['cpu', 'memory'].map((name) => ({
            type: 'Resource',
            resource: { name, target: { type: 'Utilization', averageUtilization: 90 } },
          })),
        },
      },
    }),
  ];
}

/** The storage of a process: in the streaming strategy, collectors write to Kafka. */
const storageOf = ({ strategy, storage }: Spec, part: Part): string =>
  strategy === 'streaming' && part === 'collector' ? 'kafka' : storage.type;

/** The options of a storage, because a process knows only those of its own. */
const optionsOf = ({ options }: Spec['storage'], type: string): Options =>
  Object.fromEntries(
    Object.entries(options).filter(([name]) =>
      ['', '-archive'].some((more) => name.startsWith(`${prefixes[type] ?? type}${more}.`)),
    ),
  );

const prefixes: Readonly<Record<string, string>> = {
  elasticsearch: 'es',
  grpc: 'grpc-storage',
  'grpc-plugin': 'grpc-storage-plugin',
};

function container({ name, namespace, spec }: Given, part: Part, process: Process): api.Container {
  const { image, options, lifecycle } = process;
  const { version } = spec;
  const type = storageOf(spec, part);
  const probe = { httpGet: { path: '/', port: 'admin-http' } };
  const secrets = [spec.storage.secretName, isKafka(spec, part) && process.kafkaSecretName];
  return {
    name: 'jaeger',
    image: image ?? `jaegertracing/${part === 'all-in-one' ? part : `jaeger-${part}`}:${version}`,
    args: argsOf({
      ...optionsOf(spec.storage, type),
      ...(isKafka(spec, part) ? brokersOf({ name, namespace, spec }, part) : {}),
      ...collectorTls(name, spec, part).options,
      ...fileOptions[part],
      ...options,
    }),
    env: [
      { name: 'SPAN_STORAGE_TYPE', value: type },
      ...(isReceiver(part) ? receiverEnv(options) : []),
      ...(isPage(part) ? pageEnv(process) : []),
    ],
    envFrom: secrets.flatMap((secret) => (secret ? [{ secretRef: { name: secret } }] : [])),
    ports: portsOf(part, options),
    readinessProbe: { ...probe, initialDelaySeconds: 1 },
    livenessProbe: { ...probe, initialDelaySeconds: 5, periodSeconds: 15, failureThreshold: 5 },
    lifecycle,
    volumeMounts: [
      { name: 'files', mountPath: '/etc/jaeger', readOnly: true },
      ...(isKafka(spec, part) ? kafkaFiles(name, spec).mounts : []),
      ...collectorTls(name, spec, part).volumeMounts,
      ...serviceCa(name, spec, part).volumeMounts,
    ],
  };
}

const serviceCa = (name: string, spec: Spec, part: Part) =>
  part === 'all-in-one' ? caFiles(name, spec, 'service-ca') : { volumes: [], volumeMounts: [] };

const isKafka = ({ strategy }: Spec, part: Part): boolean =>
  strategy === 'streaming' && (part === 'collector' || part === 'ingester');
const isReceiver = (part: Part): boolean => part === 'all-in-one' || part === 'collector';
const isPage = (part: Part): boolean => part === 'all-in-one' || part === 'query';

/** Without these addresses, OTLP is received from the same pod only. */
const receiverEnv = (options: Options): api.EnvVar[] => [
  { name: 'COLLECTOR_ZIPKIN_HOST_PORT', value: ':9411' },
  ...('collector.otlp.enabled' in options
    ? []
    : [
        { name: 'COLLECTOR_OTLP_ENABLED', value: 'true' },
        { name: 'COLLECTOR_OTLP_GRPC_HOST_PORT', value: '0.0.0.0:4317' },
        { name: 'COLLECTOR_OTLP_HTTP_HOST_PORT', value: '0.0.0.0:4318' },
      ]),
];

const pageEnv = ({ metricsStorage: metrics, tracingEnabled }: Process): api.EnvVar[] => [
  { name: 'JAEGER_DISABLED', value: String(tracingEnabled === false) },
  ...(metrics === undefined
    ? []
    : [
        { name: 'METRICS_STORAGE_TYPE', value: metrics.type },
        { name: 'PROMETHEUS_SERVER_URL', value: metrics['server-url'] },
      ]),
];

const sampling = { 'sampling.strategies-file': '/etc/jaeger/sampling' };
const ui = { 'query.ui-config': '/etc/jaeger/ui' };
const fileOptions: Readonly<Record<Part, Options>> = {
  'all-in-one': { ...sampling, ...ui },
  collector: sampling,
  query: ui,
  ingester: {},
  agent: {},
};
