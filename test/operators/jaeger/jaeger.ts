import {
  child,
  configMap,
  cronJob,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  ingress,
  job,
  nameAtMost,
  objectName,
  rollOnChange,
  secret,
  service,
  serviceAccount,
  Type,
} from 'serverless-reconciler';
import { route } from '../openshift.ts';
import { caBundles, withTrustedCa } from './ca.ts';
import { elasticsearch, elasticsearches, withElasticsearch } from './elasticsearch.ts';
import { schedules, stepsOf } from './jobs.ts';
import { kafka, kafkaNodePool, kafkas, kafkaUser } from './kafka.ts';
import { processes } from './processes.ts';
import { pageFile, proxyNeeds } from './proxy.ts';
import { type Spec, spec } from './spec.ts';

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
    {
      name: 'rolling',
      spec: {
        strategy: 'production',
        storage: {
          type: 'elasticsearch',
          options: { 'es.use-aliases': 'true' },
          esRollover: { conditions: '{"max_age":"2d"}', readTTL: '48h' },
        },
      },
    },
    {
      name: 'openshift',
      spec: {
        platform: 'openshift',
        strategy: 'production',
        storage: { type: 'elasticsearch', elasticsearch: { nodeCount: 3 } },
      },
    },
  ],
  owns: [
    ...[job, cronJob, configMap, serviceAccount, deployment, service],
    ...[horizontalPodAutoscaler, ingress, route, secret],
    ...[kafka, kafkaNodePool, kafkaUser, elasticsearch],
  ],
  reads: {
    secrets: {
      type: secret,
      names: ({ spec: { storage, collector, ingester } }) => {
        const names = [storage.secretName, collector.kafkaSecretName, ingester.kafkaSecretName];
        return [...new Set(names.filter((name) => name !== undefined))];
      },
    },
  },
  refuse,
  children({ namespace, name, spec: given, reads: { secrets } }) {
    const spec = withTrustedCa(name, withElasticsearch(given));
    const bundles = caBundles(name, given);
    const files = child(configMap, {
      name: objectName(`${name}-configuration`),
      body: { data: { sampling: spec.sampling, ui: pageFile(spec) } },
    });
    const account = child(serviceAccount, { name: objectName(name), body: {} });
    const proxy = proxyNeeds(name, spec);
    const servers = elasticsearches(name, given);
    const ready = servers.map((server) => ({ ...server, until: 'ready' as const }));
    const steps = stepsOf(name, spec, ready);
    const needs = [files, account, ...bundles, ...ready, ...steps];
    const annotations = rollOnChange(files, ...secrets);
    return [
      ...[files, account, ...bundles, ...proxy, ...servers, ...steps],
      ...kafkas(name, spec),
      ...processes({ namespace, name, spec, files, account, needs, annotations }),
      ...schedules(name, spec),
    ];
  },
  status: { phase: Type.Optional(Type.String()), version: Type.Optional(Type.String()) },
  statusOf: ({ state, spec }) => ({
    phase: state === 'Ready' ? 'Running' : 'Pending',
    ...(spec === undefined ? {} : { version: spec.version }),
  }),
});

function refuse(spec: Spec): string | undefined {
  const { strategy, storage, query } = spec;
  if (strategy !== 'allinone' && (storage.type === 'memory' || storage.type === 'badger'))
    return `strategy ${strategy} needs a storage that its processes share: cassandra, elasticsearch or grpc`;
  if (storage.type === 'grpc' && storage.options['grpc-storage.server'] === undefined)
    return 'storage grpc needs the option grpc-storage.server';
  if (query.nodePort !== undefined && query.nodePort === query.grpcNodePort)
    return 'nodePort and grpcNodePort are the same';
  if (spec.platform !== 'openshift' && spec.ingress.security === 'oauth-proxy')
    return 'ingress.security oauth-proxy needs platform openshift';
  return undefined;
}
