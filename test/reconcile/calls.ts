import type { Cluster } from '../../shared/cluster/cluster.ts';

/** Wraps one call to the cluster, named like `apply Deployment shop`. */
export type Around = <T>(what: string, call: () => Promise<T>) => Promise<T>;

/** Records the calls to a cluster, so that a test may act within each. */
interface Watch {
  readonly calls: string[];
  /** The timeouts of the calls in milliseconds. */
  readonly limits: number[];
  readonly during: (what: string) => unknown;
}

/** Opens a cluster that records its calls and their timeouts. */
export function watchedCluster(cluster: Cluster, { calls, limits, during }: Watch): Cluster {
  const through = eachCall(cluster, async (what, call) => {
    calls.push(what);
    await during(what);
    return call();
  });
  const withTimeout = (ms: number): Cluster => {
    limits.push(ms);
    return { ...through, withTimeout };
  };
  return { ...through, withTimeout };
}

/** Opens a cluster that passes every call through `around`. */
export const eachCall = (cluster: Cluster, around: Around): Cluster => ({
  traffic: cluster.traffic,
  withTimeout: (ms) => eachCall(cluster.withTimeout(ms), around),
  list: (type, selection, each) =>
    around(`list ${type.plural}`, () => cluster.list(type, selection, each)),
  get: (type, key) => around(`get ${type.kind} ${key.name}`, () => cluster.get(type, key)),
  getMetadata: (type, key) =>
    around(`get ${type.kind} ${key.name}`, () => cluster.getMetadata(type, key)),
  apply: (type, manifest, as) => {
    const { name } = manifest.metadata;
    const status = as.subresource === undefined ? '' : '/status';
    const verb = as.dryRun === true ? 'dry-run apply' : 'apply';
    return around(`${verb} ${type.kind}${status} ${name}`, () => cluster.apply(type, manifest, as));
  },
  create: (type, manifest) => around(`create ${type.kind}`, () => cluster.create(type, manifest)),
  patch: (type, key, patch) =>
    around(`${patch.dryRun === true ? 'dry-run ' : ''}patch ${type.kind} ${key.name}`, () =>
      cluster.patch(type, key, patch),
    ),
  remove: (type, key, preconditions) =>
    around(`remove ${type.kind} ${key.name}`, () => cluster.remove(type, key, preconditions)),
});
