import {
  child,
  configMap,
  cronJob,
  daemonSet,
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
import { agents } from './agent.ts';
import { caBundleNames, caBundles, withTrustedCa } from './ca.ts';
import {
  elasticsearch,
  elasticsearches,
  sharedName,
  withElasticsearch,
  withSharedNodes,
} from './elasticsearch.ts';
import { schedules, stepsOf } from './jobs.ts';
import { kafka, kafkaNodePool, kafkas, kafkaUser } from './kafka.ts';
import { unusableOption } from './options.ts';
import { clashOf } from './ports.ts';
import { processes } from './processes.ts';
import { proxyNeeds } from './proxy.ts';
import { agentServices } from './services.ts';
import { flattened, type Nested, spec, withOptions } from './spec.ts';
import { pageFile, samplingFile } from './ui.ts';

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
    ...[job, cronJob, configMap, serviceAccount, deployment, daemonSet, service],
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
    shared: { type: elasticsearch, name: ({ spec }) => sharedName(flattened(spec)) },
    bundles: { type: configMap, names: ({ name, spec }) => caBundleNames(name, spec) },
  },
  refuse,
  children({ namespace, name, spec: nested, reads: { secrets, shared, bundles: found } }) {
    const given = withSharedNodes(flattened(nested), shared);
    const spec = withTrustedCa(name, withElasticsearch(given));
    const bundles = caBundles(name, given);
    const files = child(configMap, {
      name: objectName(`${name}-configuration`),
      body: { data: { sampling: samplingFile(spec), ui: pageFile(spec) } },
    });
    const account = child(serviceAccount, { name: objectName(name), body: {} });
    const proxy = proxyNeeds(name, spec);
    const servers = elasticsearches(name, given);
    const ready = servers.map((server) => ({ ...server, until: 'ready' as const }));
    const steps = stepsOf(name, spec, ready);
    const needs = [files, account, ...bundles, ...ready, ...steps];
    // An empty bundle starts no pod, so only its content has to restart any.
    const filled = found.filter((bundle) => Object.keys(bundle?.data ?? {}).length > 0);
    const annotations = rollOnChange(files, ...secrets, ...filled);
    const common = { namespace, name, spec, files, account, needs, annotations };
    const all = { ...common, trust: rollOnChange(...filled) };
    return [
      ...[files, account, ...bundles, ...proxy, ...servers, ...steps],
      ...kafkas(name, spec),
      ...processes(all),
      ...agents(all),
      ...agentServices(all),
      ...schedules(name, spec),
    ];
  },
  status: { phase: Type.Optional(Type.String()), version: Type.Optional(Type.String()) },
  statusOf: ({ state, spec }) => ({
    phase: state === 'Ready' ? 'Running' : 'Pending',
    ...(spec === undefined ? {} : { version: spec.version }),
  }),
});

function refuse(given: Nested): string | undefined {
  const { strategy, storage, query } = given;
  for (const part of withOptions) {
    const name = unusableOption(given[part].options);
    if (name !== undefined)
      return `${part}.options: the list ${name} may have only texts, numbers and booleans`;
  }
  const spec = flattened(given);
  if (spec.strategy !== 'allinone' && (storage.type === 'memory' || storage.type === 'badger'))
    return `strategy ${strategy} needs a storage that its processes share: cassandra, elasticsearch, grpc or grpc-plugin`;
  if (storage.type === 'grpc' && !('grpc-storage.server' in spec.storage.options))
    return 'storage grpc needs the option grpc-storage.server';
  if (storage.type === 'grpc-plugin' && storage.grpcPlugin.image === undefined)
    return 'storage grpc-plugin needs grpcPlugin.image';
  if (query.nodePort !== undefined && query.nodePort === query.grpcNodePort)
    return 'nodePort and grpcNodePort are the same';
  if (spec.platform !== 'openshift' && spec.ingress.security === 'oauth-proxy')
    return 'ingress.security oauth-proxy needs platform openshift';
  return clashOf(spec);
}
