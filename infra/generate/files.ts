import { stringify } from 'yaml';
import type { Kind } from '../../shared/kinds/kind.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { auditPolicy, auditWebhook } from './audit/audit-policy.ts';
import { auditedTypes } from './audit/audited-types.ts';
import { customResourceDefinition } from './crd.ts';
import { type Grant, rbacFor } from './rbac.ts';

/** Sets no namespace. */
export const sampleManifests = (kind: Kind) =>
  kind.samples.map(({ name, spec }) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name },
    spec,
  }));

/** Each installation replaces this user with its own. */
export const placeholderUser = (name: string): string => `${name}@PROJECT.iam.gserviceaccount.com`;

/** Returns texts of files by their paths from infra/. */
export function generatedFiles(kinds: readonly Kind[], name: string): ReadonlyMap<string, string> {
  const grant = { name, user: placeholderUser(name), namespaces: undefined };
  const files = new Map(installationFiles(kinds, grant));
  for (const kind of kinds) {
    files.set(
      `samples/${kind.kind.toLowerCase()}.yaml`,
      sampleManifests(kind).map(yaml).join('---\n'),
    );
  }
  files.set('audit/policy.yaml', yaml(auditPolicy(kinds)));
  files.set('audit/webhook.yaml', yaml(auditWebhook('https://AUDIT-FUNCTION/')));
  return files.set(auditedTypesFile, `${JSON.stringify(auditedTypes(kinds), null, 2)}\n`);
}

const auditedTypesFile = '../terraform/modules/filter/kinds.json';

/** Returns a directory for `kubectl apply -k`: path → text. */
export function installationFiles(
  chosen: readonly Kind[],
  grant: Grant,
): ReadonlyMap<string, string> {
  const manifests = new Map([...definitionFiles(chosen), ...rbacFiles(chosen, grant)]);
  const kustomization = kustomizationOf(manifests.keys());
  return new Map([...manifests, ['kustomization.yaml', kustomization] as const].map(inYaml));
}

export const kustomizationOf = (paths: Iterable<string>): object => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources: [...paths].toSorted(),
});

/** path → manifest */
export const definitionFiles = (chosen: readonly Kind[]): ReadonlyMap<string, object> =>
  new Map(
    chosen.map((kind) => [
      `crds/${kind.plural}.${kind.group}.yaml`,
      customResourceDefinition(kind),
    ]),
  );

/** path → manifest */
export const rbacFiles = (chosen: readonly Kind[], grant: Grant): ReadonlyMap<string, object> =>
  rolesByPath('rbac', rbacFor(chosen, grant));

/** `rbac/cluster-role.yaml`, `rbac/role-team-a.yaml` → manifest */
export const rolesByPath = (
  directory: string,
  manifests: ReturnType<typeof rbacFor>,
): ReadonlyMap<string, object> =>
  new Map(
    manifests.map((manifest) => {
      const { kind, metadata } = manifest;
      const words = kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
      const suffix = metadata.namespace === undefined ? '' : `-${metadata.namespace}`;
      return [`${directory}/${words}${suffix}.yaml`, manifest];
    }),
  );

const inYaml = ([path, manifest]: readonly [string, object]): [string, string] => [
  path,
  yaml(manifest),
];

/** Quotes strings such as `on`, `y` and `1_000`, because kubectl reads YAML 1.1. */
export const yaml = (value: unknown): string =>
  stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });
