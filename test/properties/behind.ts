import type { Cluster, Selection } from '../../shared/cluster/cluster.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type ResourceType,
} from '../../shared/kubernetes.ts';
import type { Api } from '../scenarios/api.ts';

/** The objects of a namespace at one moment, by type. */
export type Snapshot = ReadonlyMap<string, readonly KubeObject[]>;

export async function takeSnapshot(api: Api, kind: Kind): Promise<Snapshot> {
  const types: readonly ResourceType[] = [kind, ...kind.owns];
  const lists = types.map(async (type) => {
    const typed = { apiVersion: apiVersionOf(type), kind: type.kind };
    // The items of a list do not name their type.
    const items = (await api.list(type)).map((live) => ({ ...live, ...typed }));
    return [groupResource(type), items] as const;
  });
  return new Map(await Promise.all(lists));
}

/** Answers reads of the types in the snapshot from the snapshot, like an API server with a stale cache. */
export function behind(cluster: Cluster, snapshot: Snapshot): Cluster {
  const find = (type: ResourceType, name: string): KubeObject | undefined =>
    snapshot.get(groupResource(type))?.find(({ metadata }) => metadata.name === name);
  return {
    ...cluster,
    withTimeout: (ms) => behind(cluster.withTimeout(ms), snapshot),
    async list(type, selection, each) {
      const all = snapshot.get(groupResource(type));
      if (all === undefined) return cluster.list(type, selection, each);
      for (const live of all) if (isSelected(live, selection)) each(structuredClone(live));
    },
    async get(type, key) {
      return snapshot.has(groupResource(type)) ? find(type, key.name) : cluster.get(type, key);
    },
    async getMetadata(type, key) {
      return snapshot.has(groupResource(type))
        ? find(type, key.name)?.metadata
        : cluster.getMetadata(type, key);
    },
  };
}

const isSelected = ({ metadata }: KubeObject, { name, labels = {} }: Selection): boolean =>
  (name === undefined || name === metadata.name) &&
  Object.entries(labels).every(([label, allowed]) =>
    [allowed].flat().includes(metadata.labels?.[label] ?? ''),
  );
