import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageField, MessageTable } from '../api-server/protobuf/message-table.ts';
import { messagesOf } from './go-sources.ts';

/** The kinds that a client may send as protobuf, by the package that defines them. */
const sentKinds: Readonly<Record<string, readonly string[]>> = {
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
const supportSources: readonly (readonly [module: string, path: string])[] = [
  ['k8s.io/apimachinery', 'pkg/apis/meta/v1'],
  ['k8s.io/apimachinery', 'pkg/api/resource'],
  ['k8s.io/apimachinery', 'pkg/util/intstr'],
  ['k8s.io/apimachinery', 'pkg/runtime'],
];
const groups: Readonly<Record<string, string>> = {
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

const modules = join(import.meta.dirname, '../control-plane');

function directoryOf(module: string): string {
  return execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], {
    cwd: modules,
    encoding: 'utf8',
  }).trim();
}

function readPackage(module: string, path: string): Map<string, MessageField[]> {
  const directory = join(directoryOf(module), path);
  const types = ['types.go', 'meta.go', 'quantity.go'].flatMap((name) => {
    try {
      return [readFileSync(join(directory, name), 'utf8')];
    } catch {
      return [];
    }
  });
  return messagesOf(readFileSync(join(directory, 'generated.proto'), 'utf8'), types.join('\n'));
}

const all = new Map([
  ...Object.keys(sentKinds).flatMap((path) => [...readPackage('k8s.io/api', path)]),
  ...supportSources.flatMap(([module, path]) => [...readPackage(module, path)]),
]);
const kinds = Object.fromEntries(
  Object.entries(sentKinds).flatMap(([path, names]) => {
    const [name = '', version = ''] = path.split('/');
    return names.map((kind) => [
      `${groups[name]}${version}/${kind}`,
      `k8s.io.api.${name}.${version}.${kind}`,
    ]);
  }),
);
const deleteOptions = 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions';

const messages: Record<string, readonly MessageField[]> = {};

function visit(name: string): void {
  const fields = all.get(name);
  if (fields === undefined || name in messages) return;
  messages[name] = fields;
  for (const [, , type] of fields) visit(type.replace(/^map<(.+)>$/, '$1'));
}
for (const message of [...Object.values(kinds), deleteOptions]) visit(message);

const table: MessageTable = { kinds: { ...kinds, 'v1/DeleteOptions': deleteOptions }, messages };
const lines = Object.keys(messages)
  .sort()
  .map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(messages[name])}`);
writeFileSync(
  join(import.meta.dirname, '../api-server/generated/messages.json'),
  `{\n  "kinds": ${JSON.stringify(table.kinds)},\n  "messages": {\n${lines.join(',\n')}\n  }\n}\n`,
);
