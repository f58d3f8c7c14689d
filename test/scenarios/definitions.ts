import type { Client } from '@serverless-reconciler/local-cluster/client';
import { install } from '../../infra/generate/install.ts';
import { groupResource, type JsonObject, type ResourceType } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { kinds } from '../support/config.ts';
import { applyManifest, controllerOf, openApi } from './api.ts';
import { configMap, namespaceType } from './built-in-kinds.ts';
import { eventually } from './eventually.ts';
import { reconciler } from './test-cluster.ts';

export const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
};

export const clusterRoleType: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
};

/** A kind called Foo in another group, which is not reconciled. */
export const otherFoo: ResourceType = { ...foo, group: 'other.example.org' };

/** Installs the kinds and permissions of the reconciler, and a foreign kind. */
export async function installAll(admin: Client): Promise<void> {
  const apply = (path: string, manifest: object) =>
    applyManifest(admin, path, manifest as JsonObject);
  await install(apply, { kinds, user: reconciler, samples: false });
  await openApi(admin).apply(definitionType, groupResource(otherFoo), definitionOf(otherFoo));
}

const minute = 60_000;

/** Waits until the garbage collector watches our kinds, which takes up to half a minute. */
export async function awaitGarbageCollector(admin: Client): Promise<void> {
  const namespace = `garbage-${Date.now()}`;
  await openApi(admin).create(namespaceType, namespace, {});
  const api = openApi(admin, namespace);
  const owners: readonly { type: ResourceType; spec: JsonObject }[] = [
    ...kinds.map((type) => ({ type, spec: type.samples[0]?.spec ?? {} })),
    { type: otherFoo, spec: {} },
  ];
  for (const { type, spec } of owners) {
    const owner = await eventually(() => api.create(type, 'owner', { spec }));
    const name = groupResource(type);
    await api.create(configMap, name, { metadata: { ownerReferences: [controllerOf(owner)] } });
    await api.remove(type, 'owner');
  }
  await eventually(async () => {
    const names = owners.map(({ type }) => groupResource(type));
    const all = await api.list(configMap);
    const left = all.filter(({ metadata }) => names.includes(metadata.name));
    if (left.length > 0) throw new Error('the garbage collector does not follow our kinds');
  }, minute);
}

const definitionOf = ({ group, version: name, kind, plural }: ResourceType): JsonObject => ({
  spec: {
    group,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope: 'Namespaced',
    versions: [
      { name, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
});
