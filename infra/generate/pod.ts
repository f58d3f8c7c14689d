import { container } from './container.ts';

/** The functions of an image, and where they are to run. */
export interface Installation {
  /** Of the reconciler: what is made is named after it. */
  readonly name: string;
  readonly image: string;
  readonly namespace: string;
  /** When a resync is due, as five fields of cron in UTC. */
  readonly schedule: string;
  /** Of both functions. */
  readonly environment: Readonly<Record<string, string>>;
  readonly deadlineSeconds: number;
}

export const podNames = ({ name }: Pick<Installation, 'name'>) =>
  ({
    account: name,
    resync: `${name}-resync`,
    audit: `${name}-audit`,
    schedule: `${name}-schedule`,
  }) as const;

/** The user of the service account that the functions run as. */
export const userIn = (at: Pick<Installation, 'name' | 'namespace'>): string =>
  `system:serviceaccount:${at.namespace}:${podNames(at).account}`;

/** How long a resync may take: its deadline, 15 s to finish what was begun, and 30 s to start and answer. */
export const timeoutSecondsOf = ({ deadlineSeconds }: Installation): number => deadlineSeconds + 45;

/** Not `managed-by`, `part-of` and `instance`, by which children are found. */
export const labelsOf = (component: string, { name }: Pick<Installation, 'name'>) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': component,
});

export const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: container.user,
  runAsGroup: container.user,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** No limit of CPU: it would stretch a run and save nothing, as nothing runs between runs. */
const resources = {
  requests: { cpu: '100m', memory: '128Mi' },
  limits: { memory: `${container.memoryMib}Mi` },
};

/** The container of one function. */
export const functionContainer = (
  target: 'resync' | 'audit',
  { image, environment }: Pick<Installation, 'image' | 'environment'>,
) => ({
  name: target,
  image,
  env: Object.entries({
    FUNCTION_TARGET: target,
    NODE_OPTIONS: container.nodeOptions,
    ...environment,
  }).map(([name, value]) => ({ name, value })),
  ports: [{ containerPort: container.port }],
  resources,
  securityContext: restricted,
});

export const serviceAccountName = (at: Pick<Installation, 'name' | 'namespace'>) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: {
    name: podNames(at).account,
    namespace: at.namespace,
    labels: labelsOf('functions', at),
  },
});
