import {
  type Child,
  child,
  horizontalPodAutoscaler,
  job,
  podDisruptionBudget,
  rollOnChange,
  secret,
} from '../../index.ts';
import { brokerKind, type Change, changed } from './broker.ts';
import type { Case } from './impact-cases.ts';

interface Published {
  /** The pull request of the operator that made such a change. */
  readonly source: string;
  readonly what: string;
  readonly change: Change;
  readonly effects: readonly string[];
}

const all: readonly Published[] = [
  {
    source: 'rabbitmq/cluster-operator#447',
    what: 'Services that lose their suffixes, one of which names the StatefulSet',
    change: ({ name, nodes, client, server }) => ({
      nodes: { ...nodes, name: `${name}-nodes` },
      client: { ...client, name },
      server: changed(server, ({ spec }) => {
        spec.serviceName = `${name}-nodes`;
      }),
    }),
    effects: [
      'create Service 6',
      'delete Service 6',
      'interrupt Service 6',
      'interrupt StatefulSet 3',
      'open Service 3',
      'recreate StatefulSet 3',
    ],
  },
  {
    source: 'strimzi/strimzi-kafka-operator#3439',
    what: 'a Service without the port and the annotations for metrics',
    change: ({ nodes: { annotations: _, ...nodes } }) => ({
      nodes: changed(nodes, ({ spec }) => spec.ports.pop()),
    }),
    effects: ['interrupt Service 3'],
  },
  {
    source: 'prometheus-operator/prometheus-operator#201',
    what: 'a configuration that moves from a ConfigMap to a Secret',
    change: ({ config: { name }, server, gateway }) => {
      const data = { 'server.conf': 'cXVldWVzID0gZHVyYWJsZQo=' };
      const config = child(secret, { name, body: { data } });
      const moved = (one: Child) => ({
        ...changed(one, ({ spec }) => {
          spec.template.spec.volumes = [{ name: 'config', secret: { secretName: name } }];
        }),
        needs: [config],
      });
      return { config, server: moved(server), gateway: moved(gateway) };
    },
    effects: [
      'create Secret 3',
      'delete ConfigMap 3',
      'recreate Deployment 3',
      'restart StatefulSet 3',
    ],
  },
  {
    source: 'open-telemetry/opentelemetry-operator#1492',
    what: 'another claim template, so that the StatefulSet is made again',
    change: ({ server }) => ({
      server: changed(server, ({ spec }) => {
        spec.volumeClaimTemplates[0].spec.resources.requests.storage = '20Gi';
      }),
    }),
    effects: ['interrupt StatefulSet 3', 'recreate StatefulSet 3'],
  },
  {
    source: 'tigera/operator#2940',
    what: 'a PodDisruptionBudget for the gateway',
    change: ({ gateway: { name, labels: matchLabels } }) => ({
      more: [
        child(podDisruptionBudget, {
          name,
          body: { spec: { maxUnavailable: 1, selector: { matchLabels } } },
        }),
      ],
    }),
    effects: ['create PodDisruptionBudget 3'],
  },
  {
    source: 'jaegertracing/jaeger-operator#856',
    what: 'an autoscaler that takes over the replicas',
    change: ({ gateway }) => ({
      gateway: changed(gateway, ({ spec }) => {
        delete spec.replicas;
      }),
      more: [
        child(horizontalPodAutoscaler, {
          name: gateway.name,
          actsOn: gateway,
          body: {
            spec: {
              scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: gateway.name },
              minReplicas: 1,
              maxReplicas: 100,
              metrics: ['cpu', 'memory'].map((name) => ({
                type: 'Resource',
                resource: { name, target: { type: 'Utilization', averageUtilization: 90 } },
              })),
            },
          },
        }),
      ],
    }),
    effects: ['create HorizontalPodAutoscaler 3'],
  },
  {
    source: 'PayU/redis-operator#47',
    what: 'an exporter beside the server, with a port in the Service',
    change: ({ server, client }) => ({
      server: changed(server, ({ spec }) => {
        const ports = [{ name: 'exporter', containerPort: 9121, protocol: 'TCP' }];
        const resources = { limits: { cpu: '1', memory: '0.5Gi' } };
        spec.template.spec.containers.push({
          name: 'exporter',
          image: 'exporter:1',
          ports,
          resources,
        });
      }),
      client: changed(client, ({ spec }) => {
        spec.ports.push({ name: 'exporter', port: 9121, protocol: 'TCP' });
      }),
    }),
    effects: ['restart StatefulSet 3', 'update Service 3'],
  },
  {
    source: 'mariadb-operator/mariadb-operator#1053',
    what: 'a startup probe',
    change: ({ server }) => ({
      server: changed(server, ({ spec }) => {
        const tcpSocket = { port: 'amqp' };
        spec.template.spec.containers[0].startupProbe = { tcpSocket, failureThreshold: 30 };
      }),
    }),
    effects: ['restart StatefulSet 3'],
  },
  {
    source: 'wildfly/wildfly-operator#213',
    what: 'a Service that is no longer a load balancer',
    change: ({ client }) => ({
      client: changed(client, ({ spec }) => {
        spec.type = 'ClusterIP';
      }),
    }),
    effects: ['close Service 3'],
  },
  {
    source: 'strimzi/strimzi-kafka-operator#7554',
    what: 'the default strategy in place of Recreate',
    change: ({ gateway }) => ({
      gateway: changed(gateway, ({ spec }) => {
        delete spec.strategy;
      }),
    }),
    effects: ['update Deployment 3'],
  },
  {
    source: 'grafana/loki#5907',
    what: 'a selector without the version',
    change: ({ gateway }) => ({
      gateway: changed(gateway, ({ spec }) => {
        delete spec.selector.matchLabels.version;
      }),
    }),
    effects: ['interrupt Deployment 3', 'recreate Deployment 3'],
  },
  {
    source: 'grafana/grafana-operator#285',
    what: 'a variable that comes from a Secret in place of its text',
    change: ({ user, server }) => ({
      server: changed(server, ({ spec }) => {
        const secretKeyRef = { name: user.name, key: 'username' };
        spec.template.spec.containers[0].env = [{ name: 'ADMIN', valueFrom: { secretKeyRef } }];
      }),
    }),
    effects: ['restart StatefulSet 3'],
  },
  {
    source: 'cloudnative-pg/cloudnative-pg#11115',
    what: 'no token of the ServiceAccount in pods',
    change: ({ account, server }) => ({
      account: changed(account, (draft) => {
        draft.automountServiceAccountToken = false;
      }),
      server: changed(server, ({ spec }) => {
        spec.template.spec.automountServiceAccountToken = false;
      }),
    }),
    effects: ['restart StatefulSet 3', 'unknown ServiceAccount 3'],
  },
  {
    source: 'openshift/cincinnati-operator#5',
    what: 'a ConfigMap for each process, with its digest on the pods',
    change: ({ name, config, server, gateway }) => {
      const own = changed(config, ({ data }) => {
        delete data['gateway.conf'];
      });
      const other = changed({ ...config, name: `${name}-gateway` }, ({ data }) => {
        delete data['server.conf'];
      });
      return {
        config: own,
        server: changed(server, ({ spec }) => {
          spec.template.metadata.annotations = rollOnChange(own);
        }),
        gateway: changed(gateway, ({ spec }) => {
          Object.assign(spec.template.metadata.annotations, rollOnChange(other));
          spec.template.spec.volumes[0].configMap.name = other.name;
        }),
        more: [other],
      };
    },
    effects: [
      'create ConfigMap 3',
      'recreate Deployment 3',
      'restart StatefulSet 3',
      'update ConfigMap 3',
    ],
  },
  {
    source: 'mattermost/mattermost-operator#32',
    what: 'a new image that waits for a migration of the database',
    change: ({ name, gateway }) => {
      const image = 'gateway:1.1';
      const containers = [{ name: 'migrate', image }];
      const spec = { template: { spec: { restartPolicy: 'Never' as const, containers } } };
      const migration = child(job, { name: `${name}-migrate-1-1`, step: 'once', body: { spec } });
      const rolled = changed(gateway, (draft) => {
        draft.spec.template.spec.containers[0].image = image;
      });
      return { gateway: { ...rolled, needs: [migration] }, more: [migration] };
    },
    effects: ['create Job 3', 'recreate Deployment 3'],
  },
];

/** Changes that published operators have made, of a kind that makes similar children. */
export const publishedChanges: readonly Case[] = all.map(({ source, what, change, effects }) => ({
  what: `${what} (${source})`,
  old: brokerKind(),
  next: brokerKind(change),
  effects,
}));
