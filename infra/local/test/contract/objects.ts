/** The paths of a case's objects, and small manifests of each kind. */
export const paths = {
  configMaps: '/api/v1/namespaces/{ns}/configmaps',
  secrets: '/api/v1/namespaces/{ns}/secrets',
  serviceAccounts: '/api/v1/namespaces/{ns}/serviceaccounts',
  services: '/api/v1/namespaces/{ns}/services',
  pods: '/api/v1/namespaces/{ns}/pods',
  coreEvents: '/api/v1/namespaces/{ns}/events',
  namespaces: '/api/v1/namespaces',
  deployments: '/apis/apps/v1/namespaces/{ns}/deployments',
  replicaSets: '/apis/apps/v1/namespaces/{ns}/replicasets',
  statefulSets: '/apis/apps/v1/namespaces/{ns}/statefulsets',
  daemonSets: '/apis/apps/v1/namespaces/{ns}/daemonsets',
  jobs: '/apis/batch/v1/namespaces/{ns}/jobs',
  cronJobs: '/apis/batch/v1/namespaces/{ns}/cronjobs',
  budgets: '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets',
  endpointSlices: '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices',
  policies: '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies',
  autoscalers: '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers',
  ingresses: '/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses',
  events: '/apis/events.k8s.io/v1/namespaces/{ns}/events',
  leases: '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases',
  websites: '/apis/kubecon.my.domain/v1beta1/namespaces/{ns}/websites',
  gadgets: '/apis/contract.example.com/v1/namespaces/{ns}/gadgets',
  alphaGadgets: '/apis/contract.example.com/v1alpha1/namespaces/{ns}/gadgets',
  zones: '/apis/cluster.example.com/v1/zones',
  definitions: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
} as const;

interface Metadata {
  readonly name?: string;
  readonly [field: string]: unknown;
}

type Name = string | Metadata;

const metadataOf = (name: Name): Metadata => (typeof name === 'string' ? { name } : name);

export const configMap = (name: Name, data: unknown = { a: '1' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadataOf(name),
  data,
});

export const secret = (name: Name, content: object = { data: { a: 'MQ==' } }) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(name),
  ...content,
});

export const service = (name: Name, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(name),
  spec: { selector: { app: 'web' }, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
});

export const podTemplate = (container: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx:1', ...container }] },
});

export const deployment = (name: Name, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadataOf(name),
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: podTemplate(),
    ...spec,
  },
});

export const statefulSet = (name: Name, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: metadataOf(name),
  spec: {
    replicas: 0,
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: podTemplate(),
    ...spec,
  },
});

export const autoscaler = (name: Name, spec: object = {}) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: metadataOf(name),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
    ...spec,
  },
});

export const ingress = (name: Name, spec: object = {}) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: metadataOf(name),
  spec: {
    rules: [
      {
        host: 'example.com',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 'web', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
    ...spec,
  },
});

/** Of pods that end. */
export const onceTemplate = (spec: object = {}, labels: object = { app: 'web' }) => ({
  metadata: { labels },
  spec: { restartPolicy: 'Never', ...podTemplate().spec, ...spec },
});

export const job = (name: Name, spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadataOf(name),
  spec: { template: onceTemplate(), ...spec },
});

export const cronJob = (name: Name, spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: metadataOf(name),
  spec: {
    schedule: '0 0 1 1 *',
    jobTemplate: { spec: { template: onceTemplate() } },
    ...spec,
  },
});

export const daemonSet = (name: Name, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: metadataOf(name),
  spec: { selector: { matchLabels: { app: 'web' } }, template: podTemplate(), ...spec },
});

export const budget = (name: Name, spec: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadataOf(name),
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
});

export const networkPolicy = (name: Name, spec: object = {}) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(name),
  spec: { podSelector: {}, ...spec },
});

export const endpointSlice = (name: Name, fields: object = {}) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: metadataOf(name),
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [{ name: 'web', port: 80 }],
  ...fields,
});

export const website = (name: Name, spec: object = { imageTag: '1', nodePort: 31000 }) => ({
  apiVersion: 'kubecon.my.domain/v1beta1',
  kind: 'Website',
  metadata: metadataOf(name),
  spec,
});

export const gadget = (name: Name, spec: object = {}) => ({
  apiVersion: 'contract.example.com/v1',
  kind: 'Gadget',
  metadata: metadataOf(name),
  spec,
});

export const gadgetStatus = (name: Name, status: object) => ({
  apiVersion: 'contract.example.com/v1',
  kind: 'Gadget',
  metadata: metadataOf(name),
  status,
});

export const zone = (name: Name, spec: object = {}) => ({
  apiVersion: 'cluster.example.com/v1',
  kind: 'Zone',
  metadata: metadataOf(name),
  spec,
});
