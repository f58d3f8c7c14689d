import { isMap } from '../canonical.ts';
import type { Exposure } from '../exposure/exposure.ts';
import { ingressExposure, ingressFacts } from '../exposure/ingress.ts';
import type { Json, JsonObject, KubeObject, ResourceType } from '../kubernetes.ts';
import {
  deploymentReadiness,
  type Readiness,
  serviceReadiness,
  statefulSetReadiness,
} from './readiness.ts';

/** A built-in type that resources may own, with everything that is special about it. */
export interface ChildType extends ResourceType {
  /** Field paths that the API server refuses to change once set. */
  readonly immutable?: readonly string[];
  /** Paths of quantities (`1Gi`), which are compared by value; a final `.` means all fields below. */
  readonly quantities?: readonly string[];
  /** Whether a live object has reached the state that its spec describes; default: once it exists. */
  readonly readiness?: (live: KubeObject) => Readiness;
  /**
   * What a plan or a kind's status may depend on besides the wanted fields. Kept for every child, so
   * it must be small, and must hold no value of a Secret.
   */
  readonly facts?: (live: KubeObject) => JsonObject;
  /** Has the subresource `scale`. */
  readonly scale?: true;
  /** Set if its objects decide which requests are admitted: they are written in an order that fails closed. */
  readonly exposure?: Exposure;
}

const mapOf = (value: unknown): JsonObject => (isMap(value as Json) ? (value as JsonObject) : {});

const resourcesOfPods = [
  'spec.template.spec.containers[].resources.limits.',
  'spec.template.spec.containers[].resources.requests.',
];

export const deployment: ChildType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  immutable: ['spec.selector'],
  quantities: resourcesOfPods,
  readiness: deploymentReadiness,
  facts: ({ status }) => {
    const { availableReplicas } = mapOf(status);
    return { availableReplicas: typeof availableReplicas === 'number' ? availableReplicas : 0 };
  },
  scale: true,
};

export const statefulSet: ChildType = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  immutable: [
    'spec.podManagementPolicy',
    'spec.selector',
    'spec.serviceName',
    'spec.volumeClaimTemplates',
  ],
  quantities: [
    ...resourcesOfPods,
    'spec.volumeClaimTemplates[].spec.resources.limits.',
    'spec.volumeClaimTemplates[].spec.resources.requests.',
  ],
  readiness: statefulSetReadiness,
  scale: true,
};

export const service: ChildType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  readiness: serviceReadiness,
};

export const secret: ChildType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  immutable: ['immutable', 'type'],
  facts: ({ data }) => {
    const keys = Object.entries(mapOf(data)).filter(([, value]) => value !== '');
    return { keys: keys.map(([key]) => key) };
  },
};

export const horizontalPodAutoscaler: ChildType = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
};

export const ingress: ChildType = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  facts: ingressFacts,
  exposure: ingressExposure,
};

/** Read by name and never owned: it outlives the resource whose data it holds. */
export const persistentVolumeClaim: ChildType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};
