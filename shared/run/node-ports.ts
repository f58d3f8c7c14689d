import type { Cluster } from '../cluster/cluster.ts';
import { listAt, valueAt } from '../json.ts';
import { service } from '../kinds/child-types/core.ts';
import { type ObjectMeta, titleOf } from '../kubernetes.ts';
import { once } from '../once.ts';

export interface PortHolder {
  /** Such as `Service default/shop`. */
  readonly title: string;
  /** Such as ` of Website shop`; perhaps empty. */
  readonly owner: string;
}

export const nodePortsOf = (cluster: Cluster) => once(() => listNodePorts(cluster));

async function listNodePorts(cluster: Cluster): Promise<ReadonlyMap<number, PortHolder>> {
  const holders = new Map<number, PortHolder>();
  await cluster.list(service, {}, ({ metadata, spec }) => {
    const { namespace, name } = metadata;
    const title = titleOf({ kind: service.kind, namespace, name });
    for (const port of nodePortsIn(spec)) holders.set(port, { title, owner: ownerOf(metadata) });
  });
  return holders;
}

export function nodePortsIn(spec: unknown): readonly number[] {
  const ports = listAt(spec, 'ports').map((one) => valueAt(one, 'nodePort'));
  return [...ports, valueAt(spec, 'healthCheckNodePort')].filter(
    (port): port is number => typeof port === 'number' && port !== 0,
  );
}

/** Omits an illegal name, because anyone can write it. */
function ownerOf({ ownerReferences = [] }: ObjectMeta): string {
  const { kind = '', name = '' } = ownerReferences.find((one) => one.controller === true) ?? {};
  return isName.test(kind) && isName.test(name) ? ` of ${kind} ${name}` : '';
}

const isName = /^[A-Za-z0-9.-]{1,253}$/;
