import {
  type Child,
  child,
  configMap,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  job,
  podDisruptionBudget,
  rollOnChange,
  secret,
  service,
  serviceAccount,
  statefulSet,
  Type,
} from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Draft } from '../support/edits.ts';

/** The children of a Broker, as published operators make them for a server with a gateway. */
export interface Broker {
  readonly name: string;
  readonly user: Child;
  readonly account: Child;
  readonly config: Child;
  readonly nodes: Child;
  readonly client: Child;
  readonly server: Child;
  readonly gateway: Child;
}

/** A change of code: returns the children of the other version of the kind. */
export type Change = (broker: Broker) => Partial<Broker> & { readonly more?: readonly Child[] };

/** Types of the children of every version. */
const types = [
  ...[secret, serviceAccount, configMap, service, statefulSet, deployment],
  ...[podDisruptionBudget, horizontalPodAutoscaler, job],
];

export const brokerKind = (change: Change = () => ({})): Kind =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Broker',
    plural: 'brokers',
    spec: Type.Object({ size: Type.Integer({ default: 3 }) }),
    samples: [{ name: 'one', spec: {} }],
    owns: types,
    children({ name, spec: { size } }) {
      const broker = brokerOf(name, size);
      const { name: _, more = [], ...children } = { ...broker, ...change(broker) };
      return [...Object.values(children), ...more];
    },
  });

const port = (name: string, number: number) => ({ name, port: number, protocol: 'TCP' as const });

function brokerOf(name: string, size: number): Broker {
  const [labels, front] = [
    { app: name, part: 'server' },
    { app: name, part: 'gateway' },
  ];
  const user = child(secret, {
    name: `${name}-default-user`,
    body: { type: 'Opaque', data: { username: 'YWRtaW4=' } },
    generated: { keys: ['password'], usedBy: [] },
  });
  const account = child(serviceAccount, { name: `${name}-server`, body: {} });
  const config = child(configMap, {
    name: `${name}-config`,
    body: { data: { 'server.conf': 'queues = durable\n', 'gateway.conf': 'password = guest\n' } },
  });
  const from = { configMap: { name: config.name } };
  const server = child(statefulSet, {
    name: `${name}-server`,
    needs: [user, config],
    recreate: 'even-with-data',
    labels,
    body: {
      spec: {
        replicas: size,
        serviceName: `${name}-headless`,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: account.name,
            containers: [
              {
                name: 'server',
                image: 'broker:3.8',
                env: [{ name: 'ADMIN', value: 'admin' }],
                ports: [{ name: 'amqp', containerPort: 5672, protocol: 'TCP' }],
                volumeMounts: [{ name: 'config', mountPath: '/etc/broker' }],
              },
            ],
            volumes: [{ name: 'config', ...from }],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '10Gi' } },
            },
          },
        ],
      },
    },
  });
  const gateway = child(deployment, {
    name: `${name}-gateway`,
    recreate: true,
    handsOver: ['spec.replicas'],
    labels: front,
    body: {
      spec: {
        replicas: 2,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { ...front, version: '1.0' } },
        template: {
          metadata: { labels: { ...front, version: '1.0' }, annotations: rollOnChange(user) },
          spec: {
            containers: [{ name: 'gateway', image: 'gateway:1.0' }],
            volumes: [{ name: 'config', ...from }],
          },
        },
      },
    },
  });
  return {
    name,
    user,
    account,
    config,
    server,
    gateway,
    nodes: child(service, {
      name: `${name}-headless`,
      annotations: { 'prometheus.io/port': '9404', 'prometheus.io/scrape': 'true' },
      body: {
        spec: {
          clusterIP: 'None',
          selector: labels,
          ports: [port('amqp', 5672), port('metrics', 9404)],
        },
      },
    }),
    client: child(service, {
      name: `${name}-client`,
      body: { spec: { type: 'LoadBalancer', selector: labels, ports: [port('amqp', 5672)] } },
    }),
  };
}

/** Changes a copy of a child; `draft` is its body. */
export function changed(one: Child, act: (draft: Draft) => void): Child {
  const body = structuredClone(one.body) as Draft;
  act(body);
  return { ...one, body };
}
