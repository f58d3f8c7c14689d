import type { Cluster, Key, Selection } from '../../shared/cluster/cluster.ts';
import { resyncClusters } from '../../shared/controller/clusters.ts';
import type { Reconciler } from '../../shared/controller/reconciler.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type ResourceType,
} from '../../shared/kubernetes.ts';

/** The resources of a kind and their children at one moment, by type. */
export type ClusterSnapshot = ReadonlyMap<string, readonly KubeObject[]>;

export async function takeSnapshot(
  list: (type: ResourceType) => Promise<readonly KubeObject[]>,
  kind: Kind,
): Promise<ClusterSnapshot> {
  const lists = [kind, ...kind.owns].map(async (type) => {
    const typed = { apiVersion: apiVersionOf(type), kind: type.kind };
    // Adds the type, which items of a list lack.
    const items = (await list(type)).map((live) => ({ ...live, ...typed }));
    return [groupResource(type), items] as const;
  });
  return new Map(await Promise.all(lists));
}

/**
 * Returns a client that reads from the snapshot, as from an API server with a stale cache. Types that the snapshot
 * lacks, and lists with `selector` or `fields`, are read from the cluster.
 */
export function behind(cluster: Cluster, snapshot: ClusterSnapshot): Cluster {
  const known = (type: ResourceType) => snapshot.get(groupResource(type));
  return {
    ...cluster,
    withTimeout: (ms) => behind(cluster.withTimeout(ms), snapshot),
    async list(type, selection, each) {
      const all = known(type);
      if (all === undefined || selection.selector !== undefined || selection.fields !== undefined)
        return cluster.list(type, selection, each);
      for (const live of all) if (isSelected(live, selection)) each(structuredClone(live));
    },
    async get(type, key) {
      const all = known(type);
      return all === undefined ? cluster.get(type, key) : find(all, key);
    },
    async getMetadata(type, key) {
      const all = known(type);
      return all === undefined ? cluster.getMetadata(type, key) : find(all, key)?.metadata;
    },
  };
}

const find = (all: readonly KubeObject[], { namespace, name }: Key): KubeObject | undefined =>
  structuredClone(all.find((live) => isSelected(live, { namespace, name })));

const isSelected = (
  { metadata }: KubeObject,
  { namespace = '', name = metadata.name, labels = {} }: Selection,
): boolean =>
  name === metadata.name &&
  (namespace === '' || namespace === metadata.namespace) &&
  Object.entries(labels).every(([label, allowed]) =>
    [allowed].flat().includes(metadata.labels?.[label] ?? ''),
  );

/** Runs the resync function once for a kind, with reads from the snapshot and writes to the cluster. */
export async function resyncBehind(
  { reconciler, kind }: { readonly reconciler: Reconciler; readonly kind: Kind },
  snapshot: ClusterSnapshot,
): Promise<void> {
  const begin: Reconciler['begin'] = async (...given) => {
    const run = await reconciler.begin(...given);
    return { ...run, cluster: behind(run.cluster, snapshot) };
  };
  await resyncClusters([{ ...reconciler, begin }], { kind: groupResource(kind) });
}
