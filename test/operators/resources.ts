import { type api, type Static, Type } from 'serverless-reconciler';
import {
  Affinity,
  IntOrString,
  LocalObjectReference,
  PodSecurityContext,
  Probe,
  Quantity,
  SecurityContext,
  Toleration,
  Volume,
  VolumeMount,
} from 'serverless-reconciler/types';

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** A host name, or the name of most objects. */
export const subdomain = Type.String({ pattern: `^${label}(\\.${label})*$`, maxLength: 253 });

const few = { maxItems: 16 };
const word = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';

export const labels = Type.Record(Type.String(), Type.String({ pattern: word, maxLength: 63 }));
export const annotations = Type.Record(Type.String(), Type.String({ maxLength: 10_000 }));

const amounts = Type.Object({ cpu: Type.Optional(Quantity), memory: Type.Optional(Quantity) });

/** The settings of pods that a spec may add to those of their process. */
export const podFields = {
  labels: Type.Optional(labels),
  annotations: Type.Optional(annotations),
  resources: Type.Optional(
    Type.Object({ requests: Type.Optional(amounts), limits: Type.Optional(amounts) }),
  ),
  affinity: Type.Optional(Affinity),
  tolerations: Type.Optional(Type.Array(Toleration, few)),
  nodeSelector: Type.Optional(labels),
  securityContext: Type.Optional(PodSecurityContext),
  containerSecurityContext: Type.Optional(SecurityContext),
  serviceAccount: Type.Optional(subdomain),
  priorityClassName: Type.Optional(subdomain),
  livenessProbe: Type.Optional(Probe),
  imagePullSecrets: Type.Optional(Type.Array(LocalObjectReference, few)),
  imagePullPolicy: Type.Optional(Type.Enum(['Always', 'IfNotPresent', 'Never'])),
  volumes: Type.Optional(Type.Array(Volume, few)),
  volumeMounts: Type.Optional(Type.Array(VolumeMount, few)),
};

const fields = Type.Object(podFields);

export type PodFields = Static<typeof fields>;

export interface Base {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly container: api.Container;
  readonly volumes?: readonly api.Volume[];
  readonly spec?: Partial<api.PodSpec>;
}

/** A pod of one container, with what the spec says of it. */
export function podOf(given: PodFields, base: Base): api.PodTemplateSpec {
  const { container, volumes = [] } = base;
  return {
    metadata: {
      labels: { ...given.labels, ...base.labels },
      annotations: { ...given.annotations, ...base.annotations },
    },
    spec: {
      ...base.spec,
      affinity: given.affinity,
      tolerations: given.tolerations,
      nodeSelector: given.nodeSelector,
      securityContext: given.securityContext,
      serviceAccountName: given.serviceAccount ?? base.spec?.serviceAccountName,
      priorityClassName: given.priorityClassName,
      imagePullSecrets: given.imagePullSecrets,
      containers: [
        {
          ...container,
          resources: given.resources,
          imagePullPolicy: given.imagePullPolicy,
          livenessProbe: given.livenessProbe ?? container.livenessProbe,
          securityContext: given.containerSecurityContext,
          volumeMounts: [...(container.volumeMounts ?? []), ...(given.volumeMounts ?? [])],
        },
      ],
      volumes: [...volumes, ...(given.volumes ?? [])],
    },
  };
}

/** Returns the settings of a process, with those for all processes where it has none of its own. */
export const mergedFields = <Own extends PodFields>(all: PodFields, own: Own): Own => ({
  ...all,
  ...own,
  labels: { ...all.labels, ...own.labels },
  annotations: { ...all.annotations, ...own.annotations },
  volumes: named(all.volumes, own.volumes, ({ name }) => name),
  volumeMounts: named(all.volumeMounts, own.volumeMounts, ({ mountPath }) => mountPath),
});

const named = <Item>(
  all: readonly Item[] = [],
  own: readonly Item[] = [],
  nameOf: (item: Item) => string,
): Item[] => [...new Map([...all, ...own].map((item) => [nameOf(item), item])).values()];

/** How a Deployment replaces its pods. */
export const strategy = Type.Optional(
  Type.Object({
    type: Type.Enum(['Recreate', 'RollingUpdate']),
    rollingUpdate: Type.Optional(
      Type.Object({
        maxSurge: Type.Optional({ ...IntOrString, minimum: 0, pattern: '^(100|[1-9]?[0-9])%$' }),
        maxUnavailable: Type.Optional({
          ...IntOrString,
          minimum: 0,
          pattern: '^(100|[1-9]?[0-9])%$',
        }),
      }),
    ),
  }),
);

/** Says what the API server would refuse in a Deployment's strategy. */
export function strategyProblem(given?: Static<typeof strategy>): string | undefined {
  if (given?.rollingUpdate === undefined) return undefined;
  if (given.type === 'Recreate') return 'a strategy Recreate has no rollingUpdate';
  const isNone = (value: number | string | undefined) => value === 0 || value === '0%';
  const { maxSurge, maxUnavailable } = given.rollingUpdate;
  return isNone(maxSurge) && isNone(maxUnavailable)
    ? 'maxSurge and maxUnavailable are not both 0'
    : undefined;
}

/** Says which request is above its limit. */
export function resourcesProblem({ resources }: Pick<PodFields, 'resources'>): string | undefined {
  const { requests = {}, limits = {} } = resources ?? {};
  const over = (['cpu', 'memory'] as const).find(
    (name) => amountOf(requests[name] ?? 0) > amountOf(limits[name] ?? Number.POSITIVE_INFINITY),
  );
  return over && `the request for ${over} is above its limit`;
}

/** Says which mount names none of the volumes. */
export function mountsProblem(
  mounts: readonly api.VolumeMount[] = [],
  volumes: readonly { readonly name: string }[] = [],
): string | undefined {
  const lost = mounts.find(({ name }) => !volumes.some((one) => one.name === name));
  return lost && `there is no volume ${lost.name} for ${lost.mountPath}`;
}

const units = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Returns the number of a quantity, such as 0.5 for `500m`. */
function amountOf(quantity: number | string): number {
  const [, number = '0', unit = '', binary] =
    /^\+?([\d.]+(?:[eE][+-]?\d+)?)([numkKMGTPE]?)(i?)$/.exec(String(quantity)) ?? [];
  const power = units.indexOf(unit === 'K' ? 'k' : unit) - units.indexOf('');
  return Number.isFinite(quantity) || quantity === Number.POSITIVE_INFINITY
    ? Number(quantity)
    : Number(number) * (binary ? 1024 : 1000) ** power;
}
