import type { ChildType } from '../child-type.ts';
import type {
  ClusterRoleBindingBody,
  ClusterRoleBody,
  RoleBindingBody,
  RoleBody,
} from './api-types.ts';

const version = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/**
 * Caveats: the API server refuses a Role with rights that the functions' user does not have itself; the
 * generated rights include the rules that samples show.
 */
export const role: ChildType<RoleBody> = { ...version, kind: 'Role', plural: 'roles' };

/** Caveats: the functions' user may `bind` the roles that samples name, and needs the rights of any other. */
export const roleBinding: ChildType<RoleBindingBody> = {
  ...version,
  kind: 'RoleBinding',
  plural: 'rolebindings',
};

/** Caveats: see `role`. */
export const clusterRole: ChildType<ClusterRoleBody> = {
  ...version,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};

/** Caveats: see `roleBinding`. */
export const clusterRoleBinding: ChildType<ClusterRoleBindingBody> = {
  ...version,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
};
