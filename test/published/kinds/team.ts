import {
  type Child,
  child,
  defineKind,
  limitRange,
  nameAtMost,
  namespace,
  namespaceName,
  networkPolicy,
  resourceQuota,
  roleBinding,
  type Static,
  Type,
} from 'serverless-reconciler';

const quantity = (value: string) =>
  Type.String({ pattern: '^[1-9][0-9]*(m|Ki|Mi|Gi|Ti)?$', default: value });

const spec = Type.Object({
  /** The group of users that work in the namespace. */
  group: Type.String({ minLength: 1, maxLength: 253 }),
  cpu: quantity('4'),
  memory: quantity('8Gi'),
  pods: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
});

type Spec = Static<typeof spec>;

/** Gives a group of users a Namespace with a quota, closed to pods of other Namespaces. */
export const team = defineKind({
  group: 'team.example.org',
  version: 'v1alpha1',
  kind: 'Team',
  plural: 'teams',
  scope: 'Cluster',
  spec,
  status: { namespace: Type.Optional(Type.String()) },
  columns: [
    { name: 'Group', type: 'string', jsonPath: '.spec.group' },
    { name: 'Namespace', type: 'string', jsonPath: '.status.namespace' },
  ],
  rules: [nameAtMost(58)],
  samples: [{ name: 'blue', spec: { group: 'blue' } }],
  owns: [namespace, resourceQuota, limitRange, networkPolicy, roleBinding],
  children({ name, spec: given }) {
    const place = namespaceOf(name);
    const pods = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    return [
      child(namespace, { name: place, labels: pods, body: {} }),
      quota(place, given),
      requests(place),
      isolation(place),
      members(place, given),
    ];
  },
  statusOf: ({ name }) => ({ namespace: namespaceOf(name) }),
});

const namespaceOf = (name: string): string => namespaceName(`team-${name}`);

const quota = (place: string, { cpu, memory, pods }: Spec): Child =>
  child(resourceQuota, {
    name: 'team',
    namespace: place,
    body: {
      spec: { hard: { 'requests.cpu': cpu, 'requests.memory': memory, pods: String(pods) } },
    },
  });

/** Default requests, because a quota refuses containers without any. */
const requests = (place: string): Child =>
  child(limitRange, {
    name: 'team',
    namespace: place,
    body: {
      spec: {
        limits: [{ type: 'Container', defaultRequest: { cpu: '100m', memory: '128Mi' } }],
      },
    },
  });

const isolation = (place: string): Child =>
  child(networkPolicy, {
    name: 'team',
    namespace: place,
    body: {
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      },
    },
  });

/** Binds a role; `generate rbac` lets the functions bind it, because a sample does. */
const members = (place: string, { group }: Spec): Child => {
  const apiGroup = 'rbac.authorization.k8s.io';
  return child(roleBinding, {
    name: 'members',
    namespace: place,
    body: {
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
      subjects: [{ apiGroup, kind: 'Group', name: group }],
    },
  });
};
