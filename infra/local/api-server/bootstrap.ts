import { administrator } from './authentication/user.ts';
import type { ApiServer } from './dispatch/api-server.ts';
import { execute } from './dispatch/execute.ts';
import type { RequestInfo } from './requests/request-info.ts';

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const rbacGroup = 'rbac.authorization.k8s.io';

function role(name: string, rules: readonly unknown[]) {
  return {
    plural: 'clusterroles',
    object: { apiVersion: `${rbacGroup}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
  };
}

function binding(name: string, group: string) {
  return {
    plural: 'clusterrolebindings',
    object: {
      apiVersion: `${rbacGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: rbacGroup, kind: 'Group', name: group }],
    },
  };
}

const rbacObjects = [
  role('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  binding('cluster-admin', 'system:masters'),
];

/** Creates the objects of every new cluster: its namespaces and the administrator's role. */
export function bootstrap(server: ApiServer): void {
  for (const name of namespaces) {
    create(
      server,
      { group: '', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    );
  }
  for (const { plural, object } of rbacObjects)
    create(server, { group: rbacGroup, plural }, object);
}

function create(
  server: ApiServer,
  where: { readonly group: string; readonly plural: string },
  object: unknown,
): void {
  const info: RequestInfo = {
    verb: 'create',
    version: 'v1',
    namespace: '',
    name: '',
    subresource: '',
    ...where,
  };
  execute(server, {
    info,
    query: new URLSearchParams(),
    user: administrator,
    userAgent: 'kube-apiserver',
    contentType: 'application/json',
    body: JSON.stringify(object),
    warn: () => undefined,
  });
}
