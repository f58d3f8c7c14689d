import { isMap, listAt, mapAt, mapsAt } from '../objects/object.ts';
import type { Change, Stored } from '../storage/stored.ts';

/**
 * The node ports and cluster IPs in use, and the next free ones.
 *
 * Guarantees: what a stored Service holds is taken, whoever stored it; nothing else is.
 */
export interface ServiceAllocator {
  readonly nodePortHolder: (port: number) => string | undefined;
  readonly clusterIpHolder: (address: string) => string | undefined;
  readonly freeNodePort: (alsoTaken: ReadonlySet<number>) => number;
  readonly freeClusterIp: () => string;
  readonly heed: (change: Change) => void;
}

/** The first of them are given only to those who name them. */
export const NODE_PORTS = { first: 30000, firstGiven: 30086, last: 32767 } as const;
/** 10.96.0.0/16, of which the first addresses stay free for well-known services. */
const ADDRESSES = { first: 0x0a60_0065, last: 0x0a60_fffe } as const;

export const createServiceAllocator = (): ServiceAllocator => {
  const ports = new Map<number, string>();
  const addresses = new Map<string, string>();
  let nextPort: number = NODE_PORTS.firstGiven;
  let nextAddress: number = ADDRESSES.first;

  const heed = ({ collection, before, after }: Change): void => {
    if (collection !== 'services') return;
    for (const port of before ? nodePortsOf(before) : []) ports.delete(port);
    for (const address of before ? addressesOf(before) : []) addresses.delete(address);
    if (after === undefined) return;
    for (const port of nodePortsOf(after)) ports.set(port, after.key);
    for (const address of addressesOf(after)) addresses.set(address, after.key);
  };

  const freeNodePort = (alsoTaken: ReadonlySet<number>): number => {
    const count = NODE_PORTS.last - NODE_PORTS.firstGiven + 1;
    for (let tries = 0; tries < count; tries++) {
      const port = nextPort;
      nextPort = port === NODE_PORTS.last ? NODE_PORTS.firstGiven : port + 1;
      if (!ports.has(port) && !alsoTaken.has(port)) return port;
    }
    throw new Error('range is full');
  };

  const freeClusterIp = (): string => {
    for (let tries = ADDRESSES.first; tries <= ADDRESSES.last; tries++) {
      const address = dotted(nextAddress);
      nextAddress = nextAddress === ADDRESSES.last ? ADDRESSES.first : nextAddress + 1;
      if (!addresses.has(address)) return address;
    }
    throw new Error('range is full');
  };

  return {
    nodePortHolder: (port) => ports.get(port),
    clusterIpHolder: (address) => addresses.get(address),
    freeNodePort,
    freeClusterIp,
    heed,
  };
};

/** Whether an address is in the range of cluster IPs. */
export const isClusterIp = (address: string): boolean => /^10\.96\.\d{1,3}\.\d{1,3}$/.test(address);

const dotted = (address: number): string =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');

const specOf = (stored: Stored) => {
  const { spec } = JSON.parse(stored.body);
  return isMap(spec) ? spec : {};
};

const nodePortsOf = (stored: Stored): number[] => {
  const spec = specOf(stored);
  const ports = [...mapsAt(spec, 'ports').map((port) => port.nodePort), spec.healthCheckNodePort];
  return ports.filter((port): port is number => typeof port === 'number' && port !== 0);
};

const addressesOf = (stored: Stored): string[] =>
  listAt(mapAt({ spec: specOf(stored) }, 'spec'), 'clusterIPs').filter(
    (address): address is string => typeof address === 'string' && address !== 'None',
  );
