import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesOf } from './go-sources.ts';
import type { MessageField, MessageTable } from './message-table.ts';

/** The kinds that a client may send as protobuf, by the package that defines them. */
const SENT: Readonly<Record<string, readonly string[]>> = {
  'core/v1': [
    'ConfigMap',
    'Event',
    'Namespace',
    'PersistentVolumeClaim',
    'Pod',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  'apps/v1': ['Deployment', 'ReplicaSet', 'StatefulSet'],
  'authentication/v1': ['SelfSubjectReview'],
  'authorization/v1': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
  'autoscaling/v1': ['Scale'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'coordination/v1': ['Lease'],
  'events/v1': ['Event'],
  'networking/v1': ['Ingress'],
  'rbac/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
};
const SUPPORT: readonly (readonly [module: string, path: string])[] = [
  ['k8s.io/apimachinery', 'pkg/apis/meta/v1'],
  ['k8s.io/apimachinery', 'pkg/api/resource'],
  ['k8s.io/apimachinery', 'pkg/util/intstr'],
  ['k8s.io/apimachinery', 'pkg/runtime'],
];
const GROUPS: Readonly<Record<string, string>> = {
  core: '',
  apps: 'apps/',
  authentication: 'authentication.k8s.io/',
  authorization: 'authorization.k8s.io/',
  autoscaling: 'autoscaling/',
  coordination: 'coordination.k8s.io/',
  events: 'events.k8s.io/',
  networking: 'networking.k8s.io/',
  rbac: 'rbac.authorization.k8s.io/',
};

const modules = join(import.meta.dirname, '../../../../test/control-plane');

const directoryOf = (module: string): string =>
  execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], {
    cwd: modules,
    encoding: 'utf8',
  }).trim();

const readPackage = (module: string, path: string): Map<string, MessageField[]> => {
  const directory = join(directoryOf(module), path);
  const types = ['types.go', 'meta.go', 'quantity.go'].flatMap((name) => {
    try {
      return [readFileSync(join(directory, name), 'utf8')];
    } catch {
      return [];
    }
  });
  return messagesOf(readFileSync(join(directory, 'generated.proto'), 'utf8'), types.join('\n'));
};

const all = new Map([
  ...Object.keys(SENT).flatMap((path) => [...readPackage('k8s.io/api', path)]),
  ...SUPPORT.flatMap(([module, path]) => [...readPackage(module, path)]),
]);
const kinds = Object.fromEntries(
  Object.entries(SENT).flatMap(([path, names]) => {
    const [name = '', version = ''] = path.split('/');
    return names.map((kind) => [
      `${GROUPS[name]}${version}/${kind}`,
      `k8s.io.api.${name}.${version}.${kind}`,
    ]);
  }),
);
const DELETE_OPTIONS = 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions';

const messages: Record<string, readonly MessageField[]> = {};
const visit = (name: string): void => {
  const fields = all.get(name);
  if (fields === undefined || name in messages) return;
  messages[name] = fields;
  for (const [, , type] of fields) visit(type.replace(/^map<(.+)>$/, '$1'));
};
for (const message of [...Object.values(kinds), DELETE_OPTIONS]) visit(message);

const table: MessageTable = { kinds: { ...kinds, 'v1/DeleteOptions': DELETE_OPTIONS }, messages };
const lines = Object.keys(messages)
  .sort()
  .map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(messages[name])}`);
writeFileSync(
  join(import.meta.dirname, 'messages.json'),
  `{\n  "kinds": ${JSON.stringify(table.kinds)},\n  "messages": {\n${lines.join(',\n')}\n  }\n}\n`,
);
