import { Type } from 'typebox';
import { child } from '../../shared/kinds/child.ts';
import { role, roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** A kind that grants permissions: it binds ClusterRoles of others, and a Role of its own. */
export const tenant = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Tenant',
  plural: 'tenants',
  spec: Type.Object({ admin: Type.String({ minLength: 1 }) }),
  samples: [{ name: 'red', spec: { admin: 'jane' } }],
  owns: [role, roleBinding],
  children({ name, spec: { admin } }) {
    const bind = (to: string, roleRef: { readonly kind: string; readonly name: string }) =>
      child(roleBinding, {
        name: `${name}-${to}`,
        body: {
          roleRef: { apiGroup, ...roleRef },
          subjects: [{ kind: 'User', apiGroup, name: admin }],
        },
      });
    const own = child(role, {
      name: `${name}-keys`,
      body: {
        rules: [
          { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] },
          {
            apiGroups: [''],
            resources: ['secrets'],
            resourceNames: [`${name}-key`],
            verbs: ['get'],
          },
          { apiGroups: [''], resources: ['configmaps'], resourceNames: ['shared'], verbs: ['get'] },
        ],
      },
    });
    return [
      own,
      { ...bind('keys', { kind: 'Role', name: own.name }), needs: [own] },
      bind('admin', { kind: 'ClusterRole', name: 'admin' }),
      bind('view', { kind: 'ClusterRole', name: 'view' }),
    ];
  },
});
