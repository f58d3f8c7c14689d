import { type api, type Static, Type } from 'serverless-reconciler';
import {
  Affinity,
  LocalObjectReference,
  PodSecurityContext,
  Quantity,
  Toleration,
  Volume,
  VolumeMount,
} from 'serverless-reconciler/types';

/** What a container requests, and may use at most. */
export const resources = Type.Optional(
  Type.Object({ cpu: Type.Optional(Quantity), memory: Type.Optional(Quantity) }),
);

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

/** A host name, or the name of most objects. */
export const subdomain = Type.String({ pattern: `^${label}(\\.${label})*$`, maxLength: 253 });

const few = { maxItems: 16 };
const key = '^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';

/** The settings of pods that a spec may add to those of their process. */
export const podFields = {
  resources,
  affinity: Type.Optional(Affinity),
  tolerations: Type.Optional(Type.Array(Toleration, few)),
  nodeSelector: Type.Optional(
    Type.Record(Type.String(), Type.String({ pattern: key, maxLength: 63 })),
  ),
  securityContext: Type.Optional(PodSecurityContext),
  imagePullSecrets: Type.Optional(Type.Array(LocalObjectReference, few)),
  volumes: Type.Optional(Type.Array(Volume, few)),
  volumeMounts: Type.Optional(Type.Array(VolumeMount, few)),
};

const fields = Type.Object(podFields);

export type PodFields = Static<typeof fields>;

/** A pod of one container, with what the spec says of it. */
export function podOf(given: PodFields, container: api.Container, volumes: api.Volume[]) {
  const { resources, volumes: more = [], volumeMounts = [], ...others } = given;
  const { affinity, tolerations, nodeSelector, securityContext, imagePullSecrets } = others;
  return {
    affinity,
    tolerations,
    nodeSelector,
    securityContext,
    imagePullSecrets,
    containers: [
      {
        ...container,
        ...(resources && { resources: { requests: resources, limits: resources } }),
        volumeMounts: [...(container.volumeMounts ?? []), ...volumeMounts],
      },
    ],
    volumes: [...volumes, ...more],
  };
}
