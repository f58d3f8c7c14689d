import type { Kind } from '../../shared/kinds/define-kind.ts';
import { fieldManager } from '../../shared/kinds/names.ts';
import { readTypesOf } from '../../shared/kinds/reads.ts';
import {
  groupResource,
  isSameType,
  type JsonObject,
  type ResourceType,
} from '../../shared/kubernetes.ts';

/** A role or a binding; one for the whole cluster has no namespace. */
export interface RbacManifest extends JsonObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** A rule of a role, without wildcards. */
export type PolicyRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};

/** What the reconciler may do, and nothing else: exactly the requests the engine makes. */
export function rulesFor(kinds: readonly Kind[]): readonly PolicyRule[] {
  const children = distinct(kinds.flatMap(({ owns }) => owns));
  const owned = new Set(children.map(groupResource));
  const written = new Set(
    kinds
      .flatMap(({ owns, formerly }) => owns.filter((type) => !formerly.includes(type)))
      .map(groupResource),
  );
  const isWritten = (type: ResourceType): boolean => written.has(groupResource(type));
  const former = children.filter((type) => !isWritten(type));
  const isOwned = (type: ResourceType): boolean => owned.has(groupResource(type));
  const isKind = (type: ResourceType): boolean => kinds.some((kind) => isSameType(kind, type));
  const unlisted = distinct(kinds.flatMap(readTypesOf)).filter(
    (type) => !isOwned(type) && !isKind(type),
  );
  const referred = new Set(kinds.flatMap(({ refersTo }) => refersTo).map(groupResource));
  const isReferred = (type: ResourceType): boolean => referred.has(groupResource(type));
  return [
    ...byGroup(kinds, ['get', 'list'], ({ plural }) => [plural]),
    ...byGroup(kinds, ['patch'], ({ plural }) => [`${plural}/status`]),
    // blockOwnerDeletion asks for this where OwnerReferencesPermissionEnforcement is on.
    ...byGroup(kinds, ['update'], ({ plural }) => [`${plural}/finalizers`]),
    ...byGroup(
      children.filter(isWritten),
      ['get', 'list', 'create', 'patch', 'delete'],
      ({ plural }) => [plural],
    ),
    ...byGroup(former, ['get', 'list', 'delete'], ({ plural }) => [plural]),
    // Their paths are withdrawn before they are deleted.
    ...byGroup(
      former.filter(({ exposure }) => exposure !== undefined),
      ['patch'],
      ({ plural }) => [plural],
    ),
    ...byGroup(unlisted.filter(isReferred), ['get', 'list'], ({ plural }) => [plural]),
    ...byGroup(
      unlisted.filter((type) => !isReferred(type)),
      ['get'],
      ({ plural }) => [plural],
    ),
    { apiGroups: [''], resources: ['events'], verbs: ['list', 'create'] },
  ];
}

/** The user to bind, and the namespaces; undefined is the whole cluster. */
export interface Grant {
  readonly user: string;
  readonly namespaces: readonly string[] | undefined;
}

/**
 * A role and a binding for the whole cluster, or one of each in every namespace.
 *
 * Caveats: the Service that holds a wanted node port is looked for in all namespaces, so with rights
 * in some only it is not named; the refusal says so.
 */
export const rbacFor = (
  kinds: readonly Kind[],
  { user, namespaces }: Grant,
): readonly RbacManifest[] =>
  (namespaces ?? [undefined]).flatMap((namespace) => [
    roleIn(namespace, kinds),
    bindingIn(namespace, user),
  ]);

export const clusterRole = (kinds: readonly Kind[]): RbacManifest => roleIn(undefined, kinds);

/** Binds the role to the user the functions authenticate as; on Google Cloud a service account's e-mail. */
export const clusterRoleBinding = (user: string): RbacManifest => bindingIn(undefined, user);

const apiGroup = 'rbac.authorization.k8s.io';

const roleIn = (namespace: string | undefined, kinds: readonly Kind[]): RbacManifest => ({
  apiVersion: `${apiGroup}/v1`,
  kind: namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: metadataIn(namespace),
  rules: rulesFor(kinds),
});

const bindingIn = (namespace: string | undefined, user: string): RbacManifest => ({
  apiVersion: `${apiGroup}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: metadataIn(namespace),
  roleRef: {
    apiGroup,
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    name: fieldManager,
  },
  subjects: [{ apiGroup, kind: 'User', name: user }],
});

const metadataIn = (namespace: string | undefined): RbacManifest['metadata'] =>
  namespace === undefined ? { name: fieldManager } : { name: fieldManager, namespace };

const distinct = <T extends ResourceType>(types: readonly T[]): readonly T[] => [
  ...new Map(types.map((type) => [groupResource(type), type])).values(),
];

function byGroup<T extends ResourceType>(
  types: readonly T[],
  verbs: readonly string[],
  resourcesOf: (type: T) => readonly string[],
): readonly PolicyRule[] {
  const groups = new Set(types.map(({ group }) => group));
  return [...groups].map((group) => ({
    apiGroups: [group],
    resources: types.filter((type) => type.group === group).flatMap(resourcesOf),
    verbs,
  }));
}
