import type { Cluster } from '../cluster/cluster.ts';
import { listAt, valueAt } from '../json.ts';
import { service } from '../kinds/child-types/core.ts';
import { titleOf } from '../kubernetes.ts';
import { once } from '../once.ts';

/** Returns, by port, the Service that has it, such as `Service default/shop`. */
export const nodePortsOf = (cluster: Cluster) =>
  once(async (): Promise<ReadonlyMap<number, string>> => {
    const holders = new Map<number, string>();
    await cluster.list(service, {}, ({ metadata: { namespace, name }, spec }) => {
      const holder = titleOf({ kind: service.kind, namespace, name });
      for (const port of nodePortsIn(spec)) holders.set(port, holder);
    });
    return holders;
  });

export function nodePortsIn(spec: unknown): readonly number[] {
  const ports = listAt(spec, 'ports').map((one) => valueAt(one, 'nodePort'));
  return [...ports, valueAt(spec, 'healthCheckNodePort')].filter(
    (port): port is number => typeof port === 'number' && port !== 0,
  );
}
