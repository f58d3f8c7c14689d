import { customResourceDefinition } from '../custom-resources/definition-strategy.ts';
import { bindingPrinter, definitionPrinter, leasePrinter, rolePrinter } from '../printers/data.ts';
import { binding, role } from './access-rules.ts';
import type { KindEntry } from './kind-table.ts';
import { lease } from './lease.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };

/** What governs the cluster: roles, leases, definitions. */
export const systemKinds: readonly KindEntry[] = [
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    kind: 'Lease',
    plural: 'leases',
    strategy: lease,
    printer: leasePrinter,
  },
  { ...rbac, kind: 'Role', plural: 'roles', strategy: role, printer: rolePrinter },
  {
    ...rbac,
    kind: 'RoleBinding',
    plural: 'rolebindings',
    strategy: binding,
    printer: bindingPrinter,
  },
  {
    ...rbac,
    kind: 'ClusterRole',
    plural: 'clusterroles',
    strategy: role,
    printer: rolePrinter,
    clusterWide: true,
  },
  {
    ...rbac,
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    strategy: binding,
    printer: bindingPrinter,
    clusterWide: true,
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    strategy: customResourceDefinition,
    printer: definitionPrinter,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    clusterWide: true,
    status: true,
  },
];
