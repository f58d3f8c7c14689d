import { kinds } from '../../shared/kinds/all.ts';
import { customResourceDefinition } from '../generate/crd.ts';
import { sampleManifests } from '../generate/files.ts';
import { clusterRole, clusterRoleBinding } from '../generate/rbac.ts';

interface Installed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Puts the CRDs, the reconciler's rights and, if wanted, the samples into the embedded cluster. */
export async function install(
  api: string,
  { user, samples }: { readonly user: string; readonly samples: boolean },
): Promise<void> {
  for (const kind of kinds) {
    await apply(
      api,
      'apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      customResourceDefinition(kind),
    );
  }
  await apply(api, 'apis/rbac.authorization.k8s.io/v1/clusterroles', clusterRole(kinds));
  await apply(
    api,
    'apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    clusterRoleBinding(user),
  );
  if (!samples) return;
  for (const { group, version, plural, ...kind } of kinds) {
    for (const sample of sampleManifests({ group, version, plural, ...kind })) {
      await apply(api, `apis/${group}/${version}/namespaces/default/${plural}`, sample);
    }
  }
}

async function apply(api: string, collection: string, manifest: object): Promise<void> {
  const { name } = (manifest as Installed).metadata;
  const response = await fetch(`${api}/${collection}/${name}?fieldManager=npm-start&force=true`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(manifest),
  });
  if (!response.ok)
    throw new Error(`cannot install ${collection}/${name}: ${await response.text()}`);
}
