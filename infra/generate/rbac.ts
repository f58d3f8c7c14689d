import type { Kind } from '../../shared/kinds/define-kind.ts';
import { fieldManager } from '../../shared/kinds/names.ts';
import { groupResource, type ResourceType } from '../../shared/kubernetes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the reconciler may do, and nothing else: exactly the requests the engine makes. */
export function clusterRole(kinds: readonly Kind[]): Fields {
  const children = distinct(kinds.flatMap(({ owns }) => owns));
  const owned = new Set(children.map(groupResource));
  const read = distinct(kinds.flatMap(({ reads }) => reads));
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: fieldManager },
    rules: [
      ...byGroup(kinds, ['get', 'list'], ({ plural }) => [plural]),
      ...byGroup(kinds, ['patch'], ({ plural }) => [`${plural}/status`]),
      // blockOwnerDeletion asks for this where OwnerReferencesPermissionEnforcement is on.
      ...byGroup(kinds, ['update'], ({ plural }) => [`${plural}/finalizers`]),
      ...byGroup(children, ['get', 'list', 'create', 'patch', 'delete'], ({ plural }) => [plural]),
      ...byGroup(
        read.filter((type) => !owned.has(groupResource(type))),
        ['get'],
        ({ plural }) => [plural],
      ),
      { apiGroups: [''], resources: ['events'], verbs: ['list', 'create'] },
    ],
  };
}

/** Binds the role to the user the functions authenticate as; on Google Cloud a service account's e-mail. */
export const clusterRoleBinding = (user: string): Fields => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: fieldManager },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: fieldManager },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});

const distinct = (types: readonly ResourceType[]): readonly ResourceType[] => [
  ...new Map(types.map((type) => [groupResource(type), type])).values(),
];

function byGroup<T extends ResourceType>(
  types: readonly T[],
  verbs: readonly string[],
  resourcesOf: (type: T) => readonly string[],
): readonly Fields[] {
  const groups = new Set(types.map(({ group }) => group));
  return [...groups].map((group) => ({
    apiGroups: [group],
    resources: types.filter((type) => type.group === group).flatMap(resourcesOf),
    verbs,
  }));
}
