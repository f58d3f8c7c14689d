import {
  type api,
  type Child,
  child,
  defineKind,
  deployment,
  dnsLabel,
  horizontalPodAutoscaler,
  immutable,
  ingress,
  labelValue,
  pullPolicyOf,
  type Rule,
  type Static,
  service,
  Type,
  withRules,
  workloadName,
} from '../index.ts';
import { endpointIngresses, endpoints } from './endpoints.ts';
import type { Settings } from './settings.ts';

const replicas = { minimum: 1, maximum: 2_147_483_647 };

const maxNotBelowMin: Rule = {
  rule: '!has(self.maxReplicas) || self.maxReplicas >= self.minReplicas',
  holds: ({ minReplicas, maxReplicas = minReplicas }: Pick<Spec, 'minReplicas' | 'maxReplicas'>) =>
    maxReplicas >= minReplicas,
  message: 'max replicas must not be less than min replicas',
  fieldPath: '.maxReplicas',
};

const spec = Type.Object(
  {
    image: Type.String({ description: 'Container image.', minLength: 1 }),
    port: Type.Integer({
      description: 'Port that the container listens on.',
      minimum: 1,
      maximum: 65_535,
      default: 80,
    }),
    minReplicas: Type.Integer({ description: 'Minimum number of pods.', ...replicas, default: 1 }),
    maxReplicas: Type.Optional(
      Type.Integer({ description: 'Maximum number of pods; default: minReplicas.', ...replicas }),
    ),
    endpoints: Type.Optional(endpoints),
  },
  {
    description: 'An autoscaled web application, served under /<namespace>/<name>.',
    ...withRules(immutable('port'), maxNotBelowMin),
  },
);

/** An autoscaled web application, served under `/<namespace>/<name>`; endpoints may require scopes. */
export const containerApp = (settings: Settings) =>
  defineKind({
    group: 'gateway.example.com',
    version: 'v1alpha1',
    kind: 'ContainerApp',
    plural: 'containerapps',
    spec,
    columns: [
      { name: 'Image', type: 'string', jsonPath: '.spec.image' },
      { name: 'Port', type: 'integer', jsonPath: '.spec.port' },
      { name: 'Min', type: 'integer', jsonPath: '.spec.minReplicas' },
      { name: 'Max', type: 'integer', jsonPath: '.spec.maxReplicas' },
    ],
    samples: [sample],
    owns: [service, deployment, horizontalPodAutoscaler, ingress],
    children({ name, namespace, spec: given }) {
      const app = labelValue(`${name}-containerapp`);
      const front = appService(name, app, given.port);
      return [
        front,
        appDeployment(name, app, given),
        autoscaler(name, given),
        ...endpointIngresses(
          { namespace, name, service: front.name },
          given.endpoints ?? [],
          settings,
        ),
      ];
    },
  });

type Spec = Static<typeof spec>;

const sample = {
  name: 'containerapp-sample',
  spec: {
    image: 'nginx:latest',
    minReplicas: 1,
    maxReplicas: 3,
    endpoints: [{ path: '/' }, { path: '/campgrounds', scopes: ['campgrounds.read'] }],
  },
};

const appService = (name: string, app: string, port: number): Child =>
  child(service, {
    name: dnsLabel(name),
    body: {
      spec: {
        type: 'ClusterIP',
        selector: { app },
        ports: [{ name: 'http', port, protocol: 'TCP', targetPort: 'http' }],
      },
    },
  });

/** Builds the Deployment without `replicas`, which the autoscaler sets. */
function appDeployment(name: string, app: string, { image, port }: Spec): Child {
  const labelSelector: api.LabelSelector = { matchLabels: { app } };
  const otherHost = { labelSelector, topologyKey: 'kubernetes.io/hostname' };
  const container: api.Container = {
    name: 'app',
    image,
    imagePullPolicy: pullPolicyOf(image),
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    resources: { requests: { cpu: '100m' } },
    // Keeps serving for a while, because requests arrive until every proxy knows that the pod is terminating.
    lifecycle: { preStop: { sleep: { seconds: 15 } } },
  };
  return child(deployment, {
    name: workloadName(name),
    handsOver: ['spec.replicas'],
    body: {
      spec: {
        selector: labelSelector,
        template: {
          metadata: { labels: { app } },
          spec: {
            containers: [container],
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 100, podAffinityTerm: otherHost },
                ],
              },
            },
          },
        },
      },
    },
  });
}

const autoscaler = (name: string, { minReplicas, maxReplicas = minReplicas }: Spec): Child =>
  child(horizontalPodAutoscaler, {
    name: workloadName(name),
    actsOn: { type: deployment, name: workloadName(name) },
    body: {
      spec: {
        minReplicas,
        maxReplicas,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: workloadName(name) },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
      },
    },
  });
