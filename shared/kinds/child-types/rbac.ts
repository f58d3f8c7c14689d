import type { ChildType } from '../child-type.ts';
import type {
  ClusterRoleBindingBody,
  ClusterRoleBody,
  RoleBindingBody,
  RoleBody,
} from './api-types.ts';

const version = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/**
 * Caveats: the API server refuses a Role with permissions that the functions' user lacks. The generated RBAC
 * grants that user the rules of the kinds' samples.
 */
export const role: ChildType<RoleBody> = { ...version, kind: 'Role', plural: 'roles' };

/**
 * Caveats: the functions' user may `bind` the roles in samples; for another role it needs that role's
 * permissions.
 */
export const roleBinding: ChildType<RoleBindingBody> = {
  ...version,
  kind: 'RoleBinding',
  plural: 'rolebindings',
};

/** Caveats: as for `role`. */
export const clusterRole: ChildType<ClusterRoleBody> = {
  ...version,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};

/** Caveats: as for `roleBinding`. */
export const clusterRoleBinding: ChildType<ClusterRoleBindingBody> = {
  ...version,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
};
