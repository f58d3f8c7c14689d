import { present } from '../../shared/json.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { readTypesOf } from '../../shared/kinds/reads.ts';
import {
  groupResource,
  includesType,
  type JsonObject,
  type ResourceType,
} from '../../shared/kubernetes.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { type GrantedRule, rulesForGrants } from './grants.ts';

interface RbacManifest extends JsonObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Allows reading the CRDs of the kinds, because annotations of a CRD pause rollouts. */
export const rulesForDefinitions = (kinds: readonly Kind[]): readonly GrantedRule[] =>
  // Without kinds, omits the rule, because with an empty resourceNames it would cover all CRDs.
  kinds.length === 0
    ? []
    : [
        {
          apiGroups: [definitionType.group],
          resources: [definitionType.plural],
          resourceNames: kinds.map(groupResource),
          verbs: ['get'],
        },
      ];

/** Allows everything that children grant to others, and all the engine's requests except reads of CRDs. */
export function rulesFor(kinds: readonly Kind[]): readonly GrantedRule[] {
  const children = distinct(kinds.flatMap(({ owns }) => owns));
  return [
    ...byGroup(kinds, ['get', 'list'], pathOf),
    ...byGroup(kinds, ['patch'], ({ plural }) => [`${plural}/status`]),
    ...byGroup(
      kinds.filter(({ finalize }) => finalize !== undefined),
      ['patch'],
      pathOf,
    ),
    // Owner references with blockOwnerDeletion need this rule if OwnerReferencesPermissionEnforcement is on.
    ...byGroup(kinds, ['update'], ({ plural }) => [`${plural}/finalizers`]),
    ...rulesForChildren(kinds, children),
    ...readRules(kinds, [...kinds, ...children]),
    { apiGroups: [''], resources: ['events'], verbs: ['create'] },
    ...rulesForGrants(kinds),
  ];
}

const pathOf = ({ plural }: ResourceType): readonly string[] => [plural];

/** Allows get and list for types that resources refer to, and only get for other types in `reads`. */
function readRules(
  kinds: readonly Kind[],
  granted: readonly ResourceType[],
): readonly GrantedRule[] {
  const types = distinct(kinds.flatMap(readTypesOf)).filter((type) => !includesType(granted, type));
  const referred = new Set(kinds.flatMap(({ refersTo }) => refersTo).map(groupResource));
  const isReferred = (type: ResourceType): boolean => referred.has(groupResource(type));
  return [
    ...byGroup(types.filter(isReferred), ['get', 'list'], pathOf),
    ...byGroup(
      types.filter((type) => !isReferred(type)),
      ['get'],
      pathOf,
    ),
  ];
}

/** Omits `delete` for types that are retained. */
function rulesForChildren(
  kinds: readonly Kind[],
  children: readonly ChildType[],
): readonly GrantedRule[] {
  const written = new Set(
    kinds
      .flatMap(({ owns, formerly }) => owns.filter((type) => !formerly.includes(type)))
      .map(groupResource),
  );
  const isWritten = (type: ResourceType): boolean => written.has(groupResource(type));
  const former = children.filter((type) => !isWritten(type));
  const rules = (types: readonly ChildType[], verbs: readonly string[]): readonly GrantedRule[] => [
    ...byGroup(
      types.filter(({ retained }) => !retained),
      [...verbs, 'delete'],
      pathOf,
    ),
    ...byGroup(
      types.filter(({ retained }) => retained),
      verbs,
      pathOf,
    ),
  ];
  return [
    ...rules(children.filter(isWritten), ['get', 'list', 'create', 'patch']),
    ...rules(former, ['get', 'list']),
    // Allows `patch`, because before an Ingress is deleted, a patch withdraws its paths.
    ...byGroup(
      former.filter(({ exposure }) => exposure !== undefined),
      ['patch'],
      pathOf,
    ),
  ];
}

export interface Grant {
  /** The name that the reconciler shares with its roles and bindings. */
  readonly name: string;
  readonly user: string;
  /** Undefined means the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
}

/**
 * Grants the permissions in the whole cluster with a ClusterRole, or in each of `namespaces` with a Role. A Role cannot
 * allow reading CRDs, so a ClusterRole does this in both cases.
 *
 * Caveats: with Roles, the holder of a desired node port cannot be found if it is a Service in another namespace. The
 * error message mentions this.
 */
export function rbacFor(
  kinds: readonly Kind[],
  { name, user, namespaces }: Grant,
): readonly RbacManifest[] {
  const rules = rulesFor(kinds);
  const definitions = rulesForDefinitions(kinds);
  const everywhere = { name, user, namespaces: undefined };
  return namespaces === undefined
    ? granted([...rules, ...definitions], everywhere)
    : [...granted(definitions, everywhere), ...granted(rules, { name, user, namespaces })];
}

export const rbacForWatching = (
  types: readonly ResourceType[],
  grant: Grant,
): readonly RbacManifest[] => granted(byGroup(types, ['get', 'list', 'watch'], pathOf), grant);

const granted = (
  rules: readonly GrantedRule[],
  { name, user, namespaces }: Grant,
): readonly RbacManifest[] =>
  (namespaces ?? [undefined]).flatMap((namespace) => {
    const metadata = { name, ...present({ namespace }) };
    return [roleIn(metadata, rules), bindingIn(metadata, user)];
  });

const apiGroup = 'rbac.authorization.k8s.io';

type Metadata = RbacManifest['metadata'];

const roleIn = (metadata: Metadata, rules: readonly GrantedRule[]): RbacManifest => ({
  apiVersion: `${apiGroup}/v1`,
  kind: metadata.namespace === undefined ? 'ClusterRole' : 'Role',
  metadata,
  rules,
});

/** Binds the user that the functions authenticate as; on Google Cloud, the e-mail address of a service account. */
const bindingIn = (metadata: Metadata, user: string): RbacManifest => ({
  apiVersion: `${apiGroup}/v1`,
  kind: metadata.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata,
  roleRef: {
    apiGroup,
    kind: metadata.namespace === undefined ? 'ClusterRole' : 'Role',
    name: metadata.name,
  },
  subjects: [{ apiGroup, kind: 'User', name: user }],
});

const distinct = <T extends ResourceType>(types: readonly T[]): readonly T[] => [
  ...new Map(types.map((type) => [groupResource(type), type])).values(),
];

function byGroup<T extends ResourceType>(
  types: readonly T[],
  verbs: readonly string[],
  resourcesOf: (type: T) => readonly string[],
): readonly GrantedRule[] {
  const groups = new Set(types.map(({ group }) => group));
  return [...groups].map((group) => ({
    apiGroups: [group],
    resources: types.filter((type) => type.group === group).flatMap(resourcesOf),
    verbs,
  }));
}
