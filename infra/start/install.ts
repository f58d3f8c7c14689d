import type { Kind } from '../../shared/kinds/define-kind.ts';
import { apiVersionOf } from '../../shared/kubernetes.ts';
import { customResourceDefinition } from '../generate/crd.ts';
import { sampleManifests } from '../generate/files.ts';
import { clusterRole, clusterRoleBinding } from '../generate/rbac.ts';

/** Server-side apply of a manifest to the path of its object. */
export type ApplyManifest = (path: string, manifest: object) => Promise<unknown>;

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const authorization = '/apis/rbac.authorization.k8s.io/v1';

interface Installed {
  readonly kinds: readonly Kind[];
  readonly user: string;
  readonly samples: boolean;
}

/** Puts the CRDs, the reconciler's rights and, if wanted, the samples into a cluster. */
export async function install(
  apply: ApplyManifest,
  { kinds, user, samples }: Installed,
): Promise<void> {
  const put = (collection: string, manifest: object): Promise<unknown> =>
    apply(`${collection}/${nameOf(manifest)}`, manifest);
  for (const kind of kinds) await put(definitions, customResourceDefinition(kind));
  await put(`${authorization}/clusterroles`, clusterRole(kinds));
  await put(`${authorization}/clusterrolebindings`, clusterRoleBinding(user));
  if (!samples) return;
  for (const kind of kinds) {
    const collection = `/apis/${apiVersionOf(kind)}/namespaces/default/${kind.plural}`;
    for (const sample of sampleManifests(kind)) await put(collection, sample);
  }
}

/** Applies to the API server at an address, as the user it gives to an anonymous client. */
export function applyTo(api: string): ApplyManifest {
  return async (path, manifest) => {
    const response = await fetch(`${api}${path}?fieldManager=npm-start&force=true`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(manifest),
    });
    if (!response.ok) throw new Error(`cannot install ${path}: ${await response.text()}`);
  };
}

function nameOf(manifest: object): string {
  return (manifest as { readonly metadata: { readonly name: string } }).metadata.name;
}
