import { immutable, immutableOptional, type Static, Type, withRules } from 'serverless-reconciler';
import { EnvFromSource, EnvVar, LocalObjectReference } from 'serverless-reconciler/types';
import {
  annotations,
  labels,
  mountsProblem,
  podFields,
  resourcesProblem,
  strategy,
  strategyProblem,
  subdomain,
} from '../resources.ts';

/** A claim of nothing is refused. */
const size = Type.String({ pattern: '^[1-9][0-9]{0,8}[MGT]i$' });
const name = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 63 });
const metadata = Type.Optional(
  Type.Object({ labels: Type.Optional(labels), annotations: Type.Optional(annotations) }),
);
const seconds = Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 }));

const few = { maxItems: 16 };
const container = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 63 }),
  image: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-zA-Z0-9._/:@-]*$', maxLength: 300 })),
  args: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), few)),
  env: Type.Optional(Type.Array(EnvVar, { maxItems: 64 })),
  envFrom: Type.Optional(Type.Array(EnvFromSource, few)),
  volumeMounts: podFields.volumeMounts,
  resources: podFields.resources,
  imagePullPolicy: podFields.imagePullPolicy,
  securityContext: podFields.containerSecurityContext,
});
/** Fields of a pod that are merged with those of Grafana's. */
const pod = Type.Optional(
  Type.Object({
    containers: Type.Optional(Type.Array(container, few)),
    initContainers: Type.Optional(Type.Array(container, few)),
    volumes: podFields.volumes,
    affinity: podFields.affinity,
    tolerations: podFields.tolerations,
    nodeSelector: podFields.nodeSelector,
    securityContext: podFields.securityContext,
    imagePullSecrets: podFields.imagePullSecrets,
    priorityClassName: podFields.priorityClassName,
    serviceAccountName: podFields.serviceAccount,
    terminationGracePeriodSeconds: seconds,
  }),
);

const deployment = Type.Object({
  metadata,
  spec: Type.Optional(
    Type.Object({
      replicas: Type.Integer({ minimum: 0, maximum: 20, default: 1 }),
      strategy,
      minReadySeconds: seconds,
      revisionHistoryLimit: seconds,
      paused: Type.Optional(Type.Boolean()),
      template: Type.Optional(Type.Object({ metadata, spec: pod })),
    }),
  ),
});

const service = Type.Object({
  metadata,
  spec: Type.Optional(
    Type.Object({
      type: Type.Enum(['ClusterIP', 'NodePort', 'LoadBalancer'], { default: 'ClusterIP' }),
      sessionAffinity: Type.Enum(['None', 'ClientIP'], { default: 'None' }),
      publishNotReadyAddresses: Type.Optional(Type.Boolean()),
      externalTrafficPolicy: Type.Optional(Type.Enum(['Cluster', 'Local'])),
      loadBalancerClass: Type.Optional(subdomain),
    }),
  ),
});

const ingress = Type.Object({
  metadata,
  spec: Type.Object({
    ingressClassName: Type.Optional(name),
    hosts: Type.Array(subdomain, { minItems: 1, maxItems: 16 }),
    path: Type.String({ pattern: '^/[a-z0-9/-]*$', maxLength: 100, default: '/' }),
    tls: Type.Optional(
      Type.Array(
        Type.Object({
          hosts: Type.Optional(Type.Array(subdomain, { maxItems: 16 })),
          secretName: Type.Optional(subdomain),
        }),
        { maxItems: 16 },
      ),
    ),
  }),
});

/** Fields of another operator's object. */
const other = Type.Optional(
  Type.Object({
    metadata,
    spec: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
);

export const spec = Type.Object({
  version: Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100, default: '12.3.0' }),
  /** Sections of grafana.ini. */
  config: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.String({ pattern: '^[^\\r\\n]*$' })),
    { default: {} },
  ),
  deployment: Type.Optional(deployment),
  service: Type.Optional(service),
  serviceAccount: Type.Optional(
    Type.Object({
      metadata,
      imagePullSecrets: Type.Optional(Type.Array(LocalObjectReference, { maxItems: 16 })),
      automountServiceAccountToken: Type.Optional(Type.Boolean()),
    }),
  ),
  ingress: Type.Optional(ingress),
  route: other,
  httpRoute: other,
  persistentVolumeClaim: Type.Optional(
    Type.Object({
      metadata,
      spec: Type.Object(
        {
          resources: Type.Object({ requests: Type.Object({ storage: size }) }),
          storageClassName: Type.Optional(name),
          accessModes: Type.Array(Type.Enum(['ReadWriteOnce', 'ReadWriteMany']), {
            minItems: 1,
            maxItems: 2,
            default: ['ReadWriteOnce'],
          }),
        },
        withRules(
          immutable('resources'),
          immutableOptional('storageClassName'),
          immutable('accessModes'),
        ),
      ),
    }),
  ),
  preferences: Type.Optional(
    Type.Object({ homeDashboardUid: Type.String({ minLength: 1, maxLength: 40 }) }),
  ),
  disableDefaultAdminSecret: Type.Boolean({ default: false }),
  disableDefaultSecurityContext: Type.Optional(Type.Enum(['Pod', 'Container', 'All'])),
});

export type Spec = Static<typeof spec>;

/** Says what the API server would refuse in the Deployment or the Service. */
export function refuse({ deployment, service, route, httpRoute }: Spec): string | undefined {
  if (hasNull(route?.spec) || hasNull(httpRoute?.spec)) return 'a route has no null';
  const { strategy, template } = deployment?.spec ?? {};
  const { containers = [], initContainers = [], volumes = [] } = template?.spec ?? {};
  const added = [...containers.filter(({ name }) => name !== 'grafana'), ...initContainers];
  const bare = added.find(({ image }) => image === undefined);
  if (bare !== undefined) return `container ${bare.name} has no image`;
  const { type = 'ClusterIP', externalTrafficPolicy, loadBalancerClass } = service?.spec ?? {};
  if (externalTrafficPolicy !== undefined && type === 'ClusterIP')
    return 'externalTrafficPolicy needs the type NodePort or LoadBalancer';
  if (loadBalancerClass !== undefined && type !== 'LoadBalancer')
    return 'loadBalancerClass needs the type LoadBalancer';
  return [
    strategyProblem(strategy),
    ...[...containers, ...initContainers].map(resourcesProblem),
    ...[...containers, ...initContainers].map(({ volumeMounts }) =>
      mountsProblem(volumeMounts, [...ownVolumes, ...volumes]),
    ),
  ].find((problem) => problem !== undefined);
}

/** The volumes of every Grafana's pods. */
const ownVolumes = ['settings', 'providers', 'datasources', 'alerting', 'data'].map((name) => ({
  name,
}));

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
