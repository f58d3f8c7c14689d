import { containerImage } from './container.ts';

export interface PodSettings {
  /** The prefix of the names of all objects. */
  readonly name: string;
  readonly image: string;
  readonly namespace: string;
  /** Five cron fields, in UTC. */
  readonly schedule: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly deadlineSeconds: number;
  /** Undefined means the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
}

export const podNames = ({ name }: Pick<PodSettings, 'name'>) =>
  ({
    account: name,
    resync: `${name}-resync`,
    audit: `${name}-audit`,
    schedule: `${name}-schedule`,
    /** The event source and its service account. */
    source: `${name}-source`,
  }) as const;

export const userIn = (
  at: Pick<PodSettings, 'name' | 'namespace'>,
  account: 'account' | 'source' = 'account',
): string => `system:serviceaccount:${at.namespace}:${podNames(at)[account]}`;

/** The deadline of a resync, plus 15 s to finish resources in progress, and 30 s to start and respond. */
export const timeoutSecondsOf = ({ deadlineSeconds }: PodSettings): number => deadlineSeconds + 45;

/** Omits `managed-by`, `part-of` and `instance`, because runs find children by these labels. */
export const objectLabels = (component: string, { name }: Pick<PodSettings, 'name'>) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': component,
});

export const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: containerImage.user,
  runAsGroup: containerImage.user,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Sets no CPU limit: a limit would make runs slower and save nothing, because a pod is idle between runs. */
export const resources = {
  requests: { cpu: '100m', memory: '128Mi' },
  limits: { memory: `${containerImage.memoryMib}Mi` },
};

/** A function with `metricsVariables` serves `/metrics` on this port. */
const metricsPort = 9464;

export const metricsVariables = {
  OTEL_METRICS_EXPORTER: 'prometheus',
  OTEL_EXPORTER_PROMETHEUS_HOST: '0.0.0.0',
  OTEL_EXPORTER_PROMETHEUS_PORT: String(metricsPort),
};

/** Empty if the variables do not enable metrics. */
export const metricsPorts = ({ environment }: Pick<PodSettings, 'environment'>) =>
  environment.OTEL_METRICS_EXPORTER === undefined ? [] : [metricsPort];

export const functionContainer = (
  target: 'resync' | 'audit',
  { image, environment }: Pick<PodSettings, 'image' | 'environment'>,
) => ({
  name: target,
  image,
  env: Object.entries({
    FUNCTION_TARGET: target,
    NODE_OPTIONS: containerImage.nodeOptions,
    ...environment,
  }).map(([name, value]) => ({ name, value })),
  ports: [
    { containerPort: containerImage.port },
    ...metricsPorts({ environment }).map((containerPort) => ({ name: 'metrics', containerPort })),
  ],
  resources,
  securityContext: restricted,
});

export const serviceAccountManifest = (
  at: Pick<PodSettings, 'name' | 'namespace'>,
  account: 'account' | 'source' = 'account',
) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: {
    name: podNames(at)[account],
    namespace: at.namespace,
    labels: objectLabels(account === 'account' ? 'functions' : account, at),
  },
});
