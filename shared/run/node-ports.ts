import type { Cluster } from '../cluster/cluster.ts';
import { service } from '../kinds/child-types/core.ts';
import type { ObjectMeta } from '../kubernetes.ts';
import type { Run } from './run.ts';

/** Returns a function whose result maps each node port to its Service. The first call lists the Services. */
export function nodePortsOf(cluster: Cluster): Run['nodePorts'] {
  let held: ReturnType<Run['nodePorts']> | undefined;
  return () => {
    held ??= listNodePorts(cluster);
    return held;
  };
}

interface PortsOfService {
  readonly healthCheckNodePort?: number;
  readonly ports?: readonly { readonly nodePort?: number }[];
}

async function listNodePorts(cluster: Cluster): Promise<ReadonlyMap<number, string>> {
  const holders = new Map<number, string>();
  await cluster.list(service, {}, ({ metadata, spec }) => {
    const { ports = [], healthCheckNodePort } = spec as PortsOfService;
    const holder = `Service ${metadata.namespace}/${metadata.name}${ownerOf(metadata)}`;
    for (const { nodePort } of ports) if (nodePort !== undefined) holders.set(nodePort, holder);
    if (healthCheckNodePort)
      holders.set(healthCheckNodePort, `${holder}, as its healthCheckNodePort`);
  });
  return holders;
}

/** Returns a Service's controller, such as ` of Website shop`. Omits an illegal name, because anyone can write it. */
function ownerOf({ ownerReferences = [] }: ObjectMeta): string {
  const { kind = '', name = '' } = ownerReferences.find((one) => one.controller === true) ?? {};
  return isName.test(kind) && isName.test(name) ? ` of ${kind} ${name}` : '';
}

const isName = /^[A-Za-z0-9.-]{1,253}$/;
