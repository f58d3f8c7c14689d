import type { Cluster, Key } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { type ResourceType, titleOf } from '../../shared/kubernetes.ts';
import type { PlannedRequest } from '../../shared/preview/planned-resource.ts';

/** A request as it was sent, and whether it succeeded. */
export interface RecordedRequest {
  readonly request: PlannedRequest;
  ok: boolean;
  /** The reason of a failure: `Conflict`, `Invalid`. */
  reason?: string;
}

/** Records every request for a single object in the form of a plan, without lists and dry runs. */
export function recording(cluster: Cluster, sent: RecordedRequest[]): Cluster {
  const note = async <T>(request: PlannedRequest, call: () => Promise<T>): Promise<T> => {
    const one: RecordedRequest = { request, ok: false };
    sent.push(one);
    try {
      const response = await call();
      one.ok = true;
      return response;
    } catch (error) {
      if (error instanceof KubeError) one.reason = error.reason;
      throw error;
    }
  };
  const named = ({ kind }: ResourceType, { namespace, name }: Key): string =>
    titleOf({ kind, namespace, name });
  return {
    ...cluster,
    traffic: cluster.traffic,
    withTimeout: (ms) => recording(cluster.withTimeout(ms), sent),
    get: (type, key) =>
      note({ verb: 'get', object: named(type, key) }, () => cluster.get(type, key)),
    // Omits reads by name of Ingresses that have lost their labels, which no plan predicts.
    getMetadata: (type, key) =>
      type.kind === 'Ingress'
        ? cluster.getMetadata(type, key)
        : note({ verb: 'get', object: named(type, key) }, () => cluster.getMetadata(type, key)),
    apply(type, manifest, as) {
      if (as.dryRun) return cluster.apply(type, manifest, as);
      const object = named(type, manifest.metadata);
      return note({ verb: 'apply', object, ...as }, () => cluster.apply(type, manifest, as));
    },
    create(type, manifest) {
      const about = manifest.involvedObject as { kind: string; namespace?: string; name: string };
      const object = `${type.kind} of ${titleOf(about)}`;
      return note({ verb: 'create', object }, () => cluster.create(type, manifest));
    },
    patch(type, key, patch) {
      if (patch.dryRun) return cluster.patch(type, key, patch);
      const { manager, subresource } = patch;
      const under = subresource === undefined ? {} : { subresource };
      const request = { verb: 'patch', object: named(type, key), ...under, manager } as const;
      return note(request, () => cluster.patch(type, key, patch));
    },
    remove: (type, key, preconditions) =>
      note({ verb: 'delete', object: named(type, key) }, () =>
        cluster.remove(type, key, preconditions),
      ),
  };
}

export const textOf = ({ verb, object, subresource, manager }: PlannedRequest): string =>
  [verb, subresource === undefined ? object : `${object}/${subresource}`, manager]
    .filter((part) => part !== undefined)
    .join(' ');
