import { defaultIdentity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { apiVersionOf, isClusterScoped, type Status } from '../../shared/kubernetes.ts';
import { customResourceDefinition } from './crd.ts';
import { sampleManifests } from './files.ts';
import { rbacFor } from './rbac.ts';

/** `path` is the path of the object on the API server. */
export type ApplyManifest = (path: string, manifest: object) => Promise<unknown>;

export interface InstalledManifest {
  readonly path: string;
  readonly manifest: object;
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const authorization = '/apis/rbac.authorization.k8s.io/v1';

interface Installed {
  readonly name?: string;
  readonly kinds: readonly Kind[];
  readonly user: string;
  readonly samples: boolean;
}

/** Lists the manifests in the order in which they are applied. */
export function installation({
  name = defaultIdentity.name,
  kinds,
  user,
  samples,
}: Installed): readonly InstalledManifest[] {
  const at = (collection: string, manifest: object): InstalledManifest => ({
    path: `${collection}/${nameOf(manifest)}`,
    manifest,
  });
  const sampled = samples ? kinds : [];
  return [
    ...kinds.map((kind) => at(definitions, customResourceDefinition(kind))),
    ...rbacFor(kinds, { name, user, namespaces: undefined }).map((manifest) =>
      at(`${authorization}/${manifest.kind.toLowerCase()}s`, manifest),
    ),
    ...sampled.flatMap((kind) =>
      sampleManifests(kind).map((sample) =>
        at(`/apis/${apiVersionOf(kind)}/${namespacePath(kind)}${kind.plural}`, sample),
      ),
    ),
  ];
}

const namespacePath = (kind: Kind): string => (isClusterScoped(kind) ? '' : 'namespaces/default/');

export const install = (apply: ApplyManifest, installed: Installed): Promise<void> =>
  applyAll(apply, installation(installed));

export async function applyAll(
  apply: ApplyManifest,
  manifests: readonly InstalledManifest[],
): Promise<void> {
  for (const { path, manifest } of manifests) await apply(path, manifest);
}

/** The remedy if the API server refuses a CRD because it lacks a version that `status.storedVersions` lists. */
export const keepVersions =
  'keep the former version in `versions` of the kind, because resources may be stored in that version ("A new version" in docs/upgrading.md)';

/** Sends no credentials. */
export function applyTo(api: string): ApplyManifest {
  return async (path, manifest) => {
    const response = await fetch(`${api}${path}?fieldManager=npm-start&force=true`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(manifest),
    });
    if (response.ok) return;
    const { message, details } = (await response.json()) as Status;
    const isOfVersions = details?.causes?.some(({ field }) =>
      /^status\.storedVersions/.test(field ?? ''),
    );
    const remedy = isOfVersions ? `; ${keepVersions}` : '';
    throw new Error(`cannot install ${path}: ${message}${remedy}`);
  };
}

function nameOf(manifest: object): string {
  return (manifest as { readonly metadata: { readonly name: string } }).metadata.name;
}
