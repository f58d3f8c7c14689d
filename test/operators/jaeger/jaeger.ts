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
import { resourcesProblem, strategyProblem } from '../resources.ts';
import { schedules, stepsOf } from './jobs.ts';
import { kafka, kafkaNodePool, kafkas, kafkaUser } from './kafka.ts';
import { processes } from './processes.ts';
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
  ],
  owns: [
    ...[job, cronJob, configMap, serviceAccount, deployment, service],
    ...[horizontalPodAutoscaler, ingress, kafka, kafkaNodePool, kafkaUser],
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
  children({ namespace, name, spec, reads: { secrets } }) {
    const files = child(configMap, {
      name: objectName(`${name}-configuration`),
      body: { data: { sampling: spec.sampling, ui: spec.ui } },
    });
    const account = child(serviceAccount, { name: objectName(name), body: {} });
    const steps = stepsOf(name, spec);
    const needs = [files, account, ...steps];
    const annotations = rollOnChange(files, ...secrets);
    return [
      ...[files, account, ...steps],
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
  const { strategy, storage, allInOne, collector, query, ingester } = spec;
  if (strategy !== 'allinone' && (storage.type === 'memory' || storage.type === 'badger'))
    return `strategy ${strategy} needs a storage that its processes share: cassandra, elasticsearch or grpc`;
  if (storage.type === 'grpc' && storage.options['grpc-storage.server'] === undefined)
    return 'storage grpc needs the option grpc-storage.server';
  if (query.nodePort !== undefined && query.nodePort === query.grpcNodePort)
    return 'nodePort and grpcNodePort are the same';
  const scheduled = [storage.dependencies, storage.esIndexCleaner, storage.esRollover];
  const processes = [allInOne, collector, query, ingester];
  return [
    ...[spec, ...scheduled, ...processes].map(resourcesProblem),
    ...processes.map((one) => strategyProblem(one.strategy)),
  ].find((problem) => problem !== undefined);
}
