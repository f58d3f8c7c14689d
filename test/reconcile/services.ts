import type { Cluster } from '../../shared/cluster/cluster.ts';

/** Opens a cluster with these Services, which counts its lists. */
export function clusterOf(services: readonly object[], fails?: Error) {
  let lists = 0;
  const list = async (_: unknown, __: unknown, each: (live: object) => void) => {
    lists++;
    if (fails !== undefined) throw fails;
    for (const one of services) each(one);
  };
  return { cluster: { list } as unknown as Cluster, lists: () => lists };
}

export const serviceOf = (name: string, spec: object) => ({
  metadata: { namespace: 'team', name },
  spec,
});
