import { type api, type Static, Type } from 'serverless-reconciler';
import {
  Affinity,
  LocalObjectReference,
  PodSecurityContext,
  Probe,
  ResourceRequirements,
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

/** The settings of pods that a spec may add to those of their process. */
export const podFields = {
  labels: Type.Optional(labels),
  annotations: Type.Optional(annotations),
  resources: Type.Optional(ResourceRequirements),
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

/** Returns the settings of a process, together with those for all processes. */
export const mergedFields = <Own extends PodFields>(all: PodFields, own: Own): Own => ({
  ...all,
  ...own,
  labels: { ...all.labels, ...own.labels },
  annotations: { ...all.annotations, ...own.annotations },
  resources: mergedResources(all.resources, own.resources),
  tolerations: [...(own.tolerations ?? []), ...(all.tolerations ?? [])],
  imagePullSecrets: named(all.imagePullSecrets, own.imagePullSecrets, ({ name }) => name ?? ''),
  volumes: named(all.volumes, own.volumes, ({ name }) => name),
  volumeMounts: named(all.volumeMounts, own.volumeMounts, ({ mountPath }) => mountPath),
});

type Resources = PodFields['resources'];

/** Returns requests and limits, each of the process if it has one. */
export const mergedResources = (all: Resources, own: Resources): Resources =>
  all && own
    ? {
        ...all,
        ...own,
        requests: { ...all.requests, ...own.requests },
        limits: { ...all.limits, ...own.limits },
      }
    : (own ?? all);

const named = <Item>(
  all: readonly Item[] = [],
  own: readonly Item[] = [],
  nameOf: (item: Item) => string,
): Item[] => [...new Map([...all, ...own].map((item) => [nameOf(item), item])).values()];
