import { apiVersionOf, type ObjectRef, type ResourceType } from '../kubernetes.ts';

/** A built-in kind that resources may own, with the facts about it that planning relies on. */
export interface ChildType extends ResourceType {
  /** Field paths that the API server refuses to change once set. */
  readonly immutable: readonly string[];
  /** Where the API holds quantities (`1Gi`), which are compared by value; a `.` at the end: all fields below. */
  readonly quantities: readonly string[];
}

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
};

export const service: ChildType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  immutable: [],
  quantities: [],
};

export const secret: ChildType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  immutable: ['immutable', 'type'],
  quantities: [],
};

export const horizontalPodAutoscaler: ChildType = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  immutable: [],
  quantities: [],
};

export const ingress: ChildType = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  immutable: [],
  quantities: [],
};

/** Read by name, never owned: it outlives the resource whose data it holds. */
export const persistentVolumeClaim: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
};

/**
 * Every child type that any kind owns. A kind that stops making children of a type keeps it in `owns`
 * until they are pruned: types that no kind owns are not read.
 */
export const childTypes: readonly ChildType[] = [
  secret,
  deployment,
  statefulSet,
  service,
  horizontalPodAutoscaler,
  ingress,
];

const typesByName = new Map(childTypes.map((type) => [`${apiVersionOf(type)}/${type.kind}`, type]));

/** The child type an object is of; undefined for one that no kind owns. */
export const typeOf = ({
  apiVersion,
  kind,
}: Pick<ObjectRef, 'apiVersion' | 'kind'>): ChildType | undefined =>
  typesByName.get(`${apiVersion}/${kind}`);
