import { stringify } from 'yaml';
import { kinds } from '../../shared/kinds/all.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { customResourceDefinition } from './crd.ts';
import { clusterRole, clusterRoleBinding } from './rbac.ts';

/** A manifest of a sample resource, without a namespace. */
export const sampleManifests = (kind: Kind) =>
  kind.samples.map(({ name, spec }) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name },
    spec,
  }));

/** The user that the generated binding names until an installation puts its own in. */
export const placeholderUser = 'serverless-reconciler@PROJECT.iam.gserviceaccount.com';

/** Everything in infra/ that follows from the kinds: path below infra/ → text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const kind of kinds) {
    files.set(`crds/${kind.plural}.${kind.group}.yaml`, yaml(customResourceDefinition(kind)));
    files.set(
      `samples/${kind.kind.toLowerCase()}.yaml`,
      sampleManifests(kind).map(yaml).join('---\n'),
    );
  }
  files.set('rbac/cluster-role.yaml', yaml(clusterRole(kinds)));
  files.set('rbac/cluster-role-binding.yaml', yaml(clusterRoleBinding(placeholderUser)));
  const resources = [...files.keys()].filter((path) => !path.startsWith('samples/')).toSorted();
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
  };
  return files.set('kustomization.yaml', yaml(kustomization));
}

const yaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
