import type { Cluster } from '../cluster/cluster.ts';
import { messageOf } from '../cluster/cluster-errors.ts';
import { service } from '../kinds/child-types/core.ts';
import type { KubeObject, ObjectMeta } from '../kubernetes.ts';
import type { Repair } from '../plan/drift/contest.ts';
import { eventType, maxMessage, repairReason } from '../plan/status/kubernetes-events.ts';
import type { Clients, Lookups } from './run.ts';

/** Opens the lookups of one pass; nothing is listed before it is needed. */
export function openLookups(cluster: Cluster, clients: Pick<Clients, 'identity' | 'log'>): Lookups {
  let held: Promise<ReadonlyMap<number, string>> | undefined;
  const repairs = new Map<string, ReturnType<Lookups['repairs']>>();
  return {
    nodePorts() {
      held ??= listNodePorts(cluster);
      return held;
    },
    repairs(namespace) {
      const known = repairs.get(namespace) ?? listRepairs(cluster, clients, namespace);
      repairs.set(namespace, known);
      return known;
    },
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

/**
 * Returns ` of Website shop`. Only legal names are shown, because anyone may write any text there and later
 * runs read the message again.
 */
function ownerOf({ ownerReferences = [] }: ObjectMeta): string {
  const { kind = '', name = '' } = ownerReferences.find((one) => one.controller === true) ?? {};
  return isName.test(kind) && isName.test(name) ? ` of ${kind} ${name}` : '';
}

const isName = /^[A-Za-z0-9.-]{1,253}$/;

interface KubernetesEvent {
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly involvedObject?: { readonly uid?: string };
}

/** Limit for one namespace, 10 MB in total, because others may write Events of any size and number. */
const maxRepairs = 10_000;
const maxUid = 64;

/**
 * Lists our `Repaired` Events in a namespace once for all its resources.
 *
 * Caveats: if Events cannot be read, or are too many, nothing counts as contested. A fight may then
 * continue, but no repair is missed.
 */
async function listRepairs(
  cluster: Cluster,
  { identity, log }: Pick<Clients, 'identity' | 'log'>,
  namespace: string,
): Promise<ReadonlyMap<string, readonly Repair[]>> {
  const found = new Map<string, Repair[]>();
  let kept = 0;
  const fields = { reason: repairReason, reportingComponent: identity.name };
  const keep = (live: KubeObject): void => {
    const {
      message = '',
      lastTimestamp: time = '',
      involvedObject,
    } = live as KubeObject & KubernetesEvent;
    const uid = involvedObject?.uid ?? '';
    if (message.length > maxMessage || uid.length > maxUid || kept === maxRepairs) return;
    kept++;
    const own = found.get(uid) ?? [];
    own.push({ message, time });
    found.set(uid, own);
  };
  try {
    await cluster.list(eventType, { namespace, fields }, keep);
  } catch (error) {
    log.warning('events not listed', { namespace, error: messageOf(error) });
  }
  return found;
}
