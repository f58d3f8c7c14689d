import { isObject, listAt, objectAt, objectsAt } from '../../json/value.ts';
import type { ServiceAllocator } from '../../resources/strategy.ts';
import type { Change, Stored } from '../../storage/stored.ts';

/** The first addresses are allocated only on request. */
export const nodePortRange = { first: 30000, firstGiven: 30086, last: 32767 } as const;
/** The port before the first port that a dry run fills in. */
export const beforeDryRunPorts = 32768;
/** The address that a dry run fills in. */
export const dryRunAddress = '10.96.0.0';
/** 10.96.0.0/16, whose first addresses are kept free for well-known services. */
const addressRange = { first: 0x0a60_0065, last: 0x0a60_fffe } as const;

export function createServiceAllocator(): ServiceAllocator {
  const ports = new Map<number, string>();
  const addresses = new Map<string, string>();
  const nextPort = rotation({ first: nodePortRange.firstGiven, last: nodePortRange.last });
  const nextAddress = rotation(addressRange);

  const onChange = ({ collection, before, after }: Change): void => {
    if (collection !== 'services') return;
    for (const port of before ? nodePortsOf(before) : []) ports.delete(port);
    for (const address of before ? addressesOf(before) : []) addresses.delete(address);
    if (after === undefined) return;
    for (const port of nodePortsOf(after)) ports.set(port, after.key);
    for (const address of addressesOf(after)) addresses.set(address, after.key);
  };

  return {
    nodePortHolder: (port) => ports.get(port),
    clusterIpHolder: (address) => addresses.get(address),
    freeNodePort: (alsoTaken) => nextPort((port) => !ports.has(port) && !alsoTaken.has(port)),
    freeClusterIp: () => dotted(nextAddress((address) => !addresses.has(dotted(address)))),
    onChange,
  };
}

/** Yields the free numbers of a range in turn; starts over after the last one. */
function rotation({ first, last }: { readonly first: number; readonly last: number }) {
  let next = first;
  return (isFree: (candidate: number) => boolean): number => {
    for (let tries = first; tries <= last; tries++) {
      const found = next;
      next = found === last ? first : found + 1;
      if (isFree(found)) return found;
    }
    throw new Error('range is full');
  };
}

/** Reports whether an address is in the range of cluster IPs. */
export function isClusterIp(address: string): boolean {
  return /^10\.96\.\d{1,3}\.\d{1,3}$/.test(address);
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

function specOf(stored: Stored) {
  const { spec } = JSON.parse(stored.body);
  return isObject(spec) ? spec : {};
}

function nodePortsOf(stored: Stored): number[] {
  const spec = specOf(stored);
  const ports = [
    ...objectsAt(spec, 'ports').map((port) => port.nodePort),
    spec.healthCheckNodePort,
  ];
  return ports.filter((port): port is number => typeof port === 'number' && port !== 0);
}

function addressesOf(stored: Stored): string[] {
  return listAt(objectAt({ spec: specOf(stored) }, 'spec'), 'clusterIPs').filter(
    (address): address is string => typeof address === 'string' && address !== 'None',
  );
}
