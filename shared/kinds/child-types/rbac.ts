import { plain } from '../child-type.ts';
import type {
  ClusterRoleBindingBody,
  ClusterRoleBody,
  RoleBindingBody,
  RoleBody,
} from './api-types.ts';

const inNamespace = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const inCluster = { ...inNamespace, scope: 'Cluster' } as const;

/**
 * Caveats: the API server refuses a Role with permissions that the functions' user lacks. The generated RBAC
 * grants that user the rules of the kinds' samples.
 */
export const role = plain<RoleBody>('Role', 'roles', inNamespace);

/**
 * Caveats: the functions' user may `bind` the roles of the kinds' samples. To bind another role, it needs the
 * role's permissions.
 */
export const roleBinding = plain<RoleBindingBody>('RoleBinding', 'rolebindings', inNamespace);

/** Caveats: as for `role`. */
export const clusterRole = plain<ClusterRoleBody>('ClusterRole', 'clusterroles', inCluster);

/** Caveats: as for `roleBinding`. */
export const clusterRoleBinding = plain<ClusterRoleBindingBody>(
  'ClusterRoleBinding',
  'clusterrolebindings',
  inCluster,
);
