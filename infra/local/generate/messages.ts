import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiscoveredKind } from '../api-server/kinds/kind.ts';
import type { MessageField, MessageTable } from '../api-server/protobuf/message-table.ts';
import { chooseRelease } from '../control-plane/release.ts';
import { messagesOf } from './go-sources.ts';

const generated = join(import.meta.dirname, '../api-server/generated');

interface Package {
  readonly module: string;
  readonly path: string;
}

/** The stored kinds, and kinds that are answered and never stored: clients send both as protobuf. */
const kinds: readonly Pick<DiscoveredKind, 'group' | 'version' | 'kind'>[] = [
  ...(JSON.parse(readFileSync(join(generated, 'kinds.json'), 'utf8')) as DiscoveredKind[]).filter(
    // Excludes a group whose Go types have no protobuf tags for the JSON in their schemas.
    ({ group }) => group !== 'apiextensions.k8s.io',
  ),
  { group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview' },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview' },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview' },
  { group: 'autoscaling', version: 'v1', kind: 'Scale' },
];
const supportPackages: readonly Package[] = [
  { module: 'k8s.io/apimachinery', path: 'pkg/apis/meta/v1' },
  { module: 'k8s.io/apimachinery', path: 'pkg/api/resource' },
  { module: 'k8s.io/apimachinery', path: 'pkg/util/intstr' },
  { module: 'k8s.io/apimachinery', path: 'pkg/runtime' },
];

/** Returns the Go package of a group and version. */
function packageOf(group: string, version: string): Package {
  const [name = ''] = (group || 'core').split('.');
  return name === 'apiregistration'
    ? { module: 'k8s.io/kube-aggregator', path: `pkg/apis/${name}/${version}` }
    : { module: 'k8s.io/api', path: `${name}/${version}` };
}

/** Returns the name of a kind's message: its package, with characters that protobuf allows. */
function messageOf({ module, path }: Package, kind: string): string {
  return `${module}/${path}/${kind}`.replaceAll('/', '.').replaceAll('-', '_');
}

const { module: pinned } = chooseRelease();

function directoryOf(module: string): string {
  return execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], {
    cwd: pinned,
    encoding: 'utf8',
  }).trim();
}

function readPackage({ module, path }: Package): Map<string, MessageField[]> {
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

const packages = new Map(
  [...kinds.map(({ group, version }) => packageOf(group, version)), ...supportPackages].map(
    (one) => [`${one.module}/${one.path}`, one],
  ),
);
const all = new Map([...packages.values()].flatMap((one) => [...readPackage(one)]));
const messageNames = Object.fromEntries(
  kinds.map(({ group, version, kind }) => [
    `${group === '' ? '' : `${group}/`}${version}/${kind}`,
    messageOf(packageOf(group, version), kind),
  ]),
);
const deleteOptions = 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions';

const messages: Record<string, readonly MessageField[]> = {};

function visit(name: string): void {
  const fields = all.get(name);
  if (fields === undefined || name in messages) return;
  messages[name] = fields;
  for (const [, , type] of fields) visit(type.replace(/^map<(.+)>$/, '$1'));
}
for (const message of [...Object.values(messageNames), deleteOptions]) visit(message);

const table: MessageTable = {
  kinds: { ...messageNames, 'v1/DeleteOptions': deleteOptions },
  messages,
};
const lines = Object.keys(messages)
  .sort()
  .map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(messages[name])}`);
writeFileSync(
  join(generated, 'messages.json'),
  `{\n  "kinds": ${JSON.stringify(table.kinds)},\n  "messages": {\n${lines.join(',\n')}\n  }\n}\n`,
);
