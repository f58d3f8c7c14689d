import { type api, type Static, Type } from 'serverless-reconciler';
import {
  DeploymentStrategy,
  IngressSpec,
  LabelSelector,
  PersistentVolumeClaimSpec,
  PodSpec,
  ServiceSpec,
} from 'serverless-reconciler/types';
import { annotations, labels, subdomain } from '../resources.ts';

const metadata = Type.Optional(
  Type.Object({ labels: Type.Optional(labels), annotations: Type.Optional(annotations) }),
);
const seconds = Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 }));
const names = Type.Optional(Type.Array(Type.Object({ name: subdomain }), { maxItems: 16 }));

/** Merged with the pods of Grafana, so that it needs no containers. */
const podSpec = Type.Unsafe<Partial<api.PodSpec>>({ ...PodSpec, required: [] });
const deployment = Type.Object({
  metadata,
  spec: Type.Optional(
    Type.Object({
      replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      selector: Type.Optional(LabelSelector),
      strategy: Type.Optional(DeploymentStrategy),
      minReadySeconds: seconds,
      progressDeadlineSeconds: seconds,
      revisionHistoryLimit: seconds,
      paused: Type.Optional(Type.Boolean()),
      template: Type.Optional(Type.Object({ metadata, spec: Type.Optional(podSpec) })),
    }),
  ),
});

/** Fields of another operator's object. */
const other = Type.Optional(
  Type.Object({
    metadata,
    spec: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
);

/** A claim of which the kind completes the access modes. */
const claim = { ...PersistentVolumeClaimSpec, required: [] };

export const spec = Type.Object({
  /** The tag of Grafana's image, or a whole image. */
  version: Type.String({ pattern: '^[A-Za-z0-9._/:@-]+$', maxLength: 300, default: '12.3.0' }),
  /** Sections of grafana.ini. */
  config: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.String({ pattern: '^[^\\r\\n]*$' })),
    { default: {} },
  ),
  deployment: Type.Optional(deployment),
  service: Type.Optional(Type.Object({ metadata, spec: Type.Optional(ServiceSpec) })),
  serviceAccount: Type.Optional(
    Type.Object({
      metadata,
      secrets: names,
      imagePullSecrets: names,
      automountServiceAccountToken: Type.Optional(Type.Boolean()),
    }),
  ),
  ingress: Type.Optional(Type.Object({ metadata, spec: Type.Optional(IngressSpec) })),
  route: other,
  httpRoute: other,
  persistentVolumeClaim: Type.Optional(Type.Object({ metadata, spec: claim })),
  preferences: Type.Optional(
    Type.Object({ homeDashboardUid: Type.String({ minLength: 1, maxLength: 40 }) }),
  ),
  disableDefaultAdminSecret: Type.Boolean({ default: false }),
  disableDefaultSecurityContext: Type.Optional(Type.Enum(['Pod', 'Container', 'All'])),
});

export type Spec = Static<typeof spec>;

/** Parts of objects that Kubernetes validates. What it refuses in them is in the condition of the Grafana. */
export const passedOn = [
  'deployment.spec',
  'service.spec',
  'serviceAccount.secrets',
  'ingress.spec',
  'persistentVolumeClaim',
];

export const refuse = ({ route, httpRoute }: Spec): string | undefined =>
  hasNull(route?.spec) || hasNull(httpRoute?.spec) ? 'a route has no null' : undefined;

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(hasNull));

/** The port that grafana.ini sets, or else the one that Grafana has by default. */
export function portOf({ config }: Spec): number {
  const port = Number(config.server?.http_port ?? 3000);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 3000;
}

/** The Secrets and ConfigMaps that the template of the pods refers to. */
export function referencesOf({ deployment }: Spec) {
  const {
    containers = [],
    initContainers = [],
    volumes = [],
  } = deployment?.spec?.template?.spec ?? {};
  const sources = [...containers, ...initContainers].flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.map((one) => [one.secretRef?.name, one.configMapRef?.name]),
    ...env.map(({ valueFrom: from }) => [from?.secretKeyRef?.name, from?.configMapKeyRef?.name]),
  ]);
  const all = [...sources, ...volumes.map(mounted)];
  const names = (at: 0 | 1) => [...new Set(all.flatMap((one) => one[at] || []))];
  return { secrets: names(0), configMaps: names(1) };
}

const mounted = ({ secret, configMap }: api.Volume) => [secret?.secretName, configMap?.name];
