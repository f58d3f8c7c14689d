import { execute } from './requests/execute.ts';
import type { RequestInfo } from './requests/request-info.ts';
import { administrator } from './requests/user.ts';
import type { ApiServer } from './server.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const RBAC = 'rbac.authorization.k8s.io';

const role = (name: string, rules: readonly unknown[]) => ({
  plural: 'clusterroles',
  object: { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
});

const binding = (name: string, group: string) => ({
  plural: 'clusterrolebindings',
  object: {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  },
});

const RULES = [
  role('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  binding('cluster-admin', 'system:masters'),
];

/** Puts into a new cluster what every cluster has: its namespaces, and the administrator's role. */
export const bootstrap = (server: ApiServer): void => {
  for (const name of NAMESPACES) {
    create(
      server,
      { group: '', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    );
  }
  for (const { plural, object } of RULES) create(server, { group: RBAC, plural }, object);
};

const create = (
  server: ApiServer,
  where: { readonly group: string; readonly plural: string },
  object: unknown,
): void => {
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
};
