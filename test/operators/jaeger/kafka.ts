import { type api, type Child, child, defineChildType } from 'serverless-reconciler';
import type { Part, Spec } from './spec.ts';

const strimzi = { group: 'kafka.strimzi.io', version: 'v1beta2' };
const volume = { type: 'persistent-claim', size: '100Gi', deleteClaim: false };

/** The kinds of Strimzi: a Kafka, the nodes of its brokers, and a user with a certificate. */
export const kafka = defineChildType<{ spec: object }>({
  ...strimzi,
  kind: 'Kafka',
  plural: 'kafkas',
});
export const kafkaNodePool = defineChildType<{ spec: object }>({
  ...strimzi,
  kind: 'KafkaNodePool',
  plural: 'kafkanodepools',
});
export const kafkaUser = defineChildType<{ spec: object }>({
  ...strimzi,
  kind: 'KafkaUser',
  plural: 'kafkausers',
});

const isGiven = ({ collector, ingester }: Spec): boolean =>
  'kafka.producer.brokers' in collector.options || 'kafka.consumer.brokers' in ingester.options;

const isMade = (spec: Spec): boolean => spec.strategy === 'streaming' && !isGiven(spec);

/** A Kafka for the streaming strategy, unless the options name one. */
export function kafkas(name: string, spec: Spec): readonly Child[] {
  if (!isMade(spec)) return [];
  const labels = { 'strimzi.io/cluster': name };
  const listener = (of: string, port: number) => ({
    name: of,
    port,
    type: 'internal',
    tls: of === 'tls',
    ...(of === 'tls' && { authentication: { type: 'tls' } }),
  });
  return [
    child(kafka, {
      name,
      annotations: { 'strimzi.io/node-pools': 'enabled', 'strimzi.io/kraft': 'enabled' },
      body: {
        spec: {
          kafka: {
            listeners: [listener('plain', 9092), listener('tls', 9093)],
            config: {
              'offsets.topic.replication.factor': 3,
              'transaction.state.log.replication.factor': 3,
              'transaction.state.log.min.isr': 2,
            },
          },
          entityOperator: { topicOperator: {}, userOperator: {} },
        },
      },
    }),
    child(kafkaNodePool, {
      name: `${name}-nodes`,
      labels,
      body: {
        spec: {
          replicas: 3,
          roles: ['controller', 'broker'],
          storage: { type: 'jbod', volumes: [{ id: 0, ...volume }] },
        },
      },
    }),
    child(kafkaUser, { name, labels, body: { spec: { authentication: { type: 'tls' } } } }),
  ];
}

const folder = '/var/run/secrets/kafka';

/** The certificates that Strimzi writes into Secrets. */
export function kafkaFiles(name: string, spec: Spec) {
  if (!isMade(spec)) return { volumes: [], mounts: [] };
  const from = (of: string, secretName: string): api.Volume => ({
    name: `kafka-${of}`,
    secret: { secretName },
  });
  return {
    volumes: [from('user', name), from('ca', `${name}-cluster-ca-cert`)],
    mounts: ['user', 'ca'].map((of) => ({ name: `kafka-${of}`, mountPath: `${folder}/${of}` })),
  };
}

interface Named {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Spec;
}

/** The options with which a process uses that Kafka. */
export function brokersOf({ name, namespace, spec }: Named, part: Part) {
  if (!isMade(spec)) return {};
  const role = part === 'collector' ? 'producer' : 'consumer';
  return Object.fromEntries(
    Object.entries({
      brokers: `${name}-kafka-bootstrap.${namespace}.svc.cluster.local:9093`,
      authentication: 'tls',
      'tls.enabled': 'true',
      'tls.ca': `${folder}/ca/ca.crt`,
      'tls.cert': `${folder}/user/user.crt`,
      'tls.key': `${folder}/user/user.key`,
    }).map(([key, value]) => [`kafka.${role}.${key}`, value]),
  );
}
