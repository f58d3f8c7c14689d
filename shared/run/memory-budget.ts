import { getHeapStatistics } from 'node:v8';
import { weightOf } from '../json.ts';
import { type ObservedChild, withoutContent } from '../plan/observed/observed.ts';
import { type Found, namespaceOf, type World } from '../plan/observed/world.ts';

/** Bounds the bytes that a run keeps of listed objects, for each namespace. */
export interface MemoryBudget {
  /** Reserves memory and returns true. Returns false if an object that is not small exceeds the namespace's limit. */
  readonly admit: (namespace: string, bytes: number) => boolean;
  /** Counts memory that is taken in any case, even beyond the limit. */
  readonly count: (namespace: string, bytes: number) => void;
  /** Waits for a lock that only one run of the process has at a time. Call the result to release the lock. */
  readonly lock: () => Promise<() => void>;
  /** Returns a budget that shares this memory but is closed separately. */
  readonly part: () => MemoryBudget;
  /** Releases the memory that was reserved or counted through this budget, but not through its parts. */
  readonly close: () => void;
}

/** Fraction of the heap for kept objects. The rest is for responses being read and for the work itself. */
const shareOfHeap = 0.4;

/** Returns the budget of a run on a cluster. All runs of a process share one memory. */
export type Memory = (cluster: string) => MemoryBudget;

/**
 * Guarantees: a namespace may reserve memory only if it then holds no more than is free. So one namespace reserves at
 * most half of the memory for large objects, a second one a quarter, and a namespace that needs little always has room.
 * Objects of up to `small` bytes are counted but always kept, so large objects displace only large ones; in particular,
 * an Ingress of ordinary size and its resource are always kept.
 * Caveats: memory grows with the number of small objects. An object that several runs hold at the same time counts once
 * for each run.
 */
export function openMemory(
  capacity = getHeapStatistics().heap_size_limit * shareOfHeap,
  small = 16 * 1024,
): Memory {
  const held = new Map<string, number>();
  let free = capacity;
  let last: Promise<void> = Promise.resolve();
  const add = (key: string, bytes: number): void => {
    const now = (held.get(key) ?? 0) + bytes;
    if (now > 0) held.set(key, now);
    else held.delete(key);
    free -= bytes;
  };
  const open = (cluster: string): MemoryBudget => {
    const own = new Map<string, number>();
    const count = (namespace: string, bytes: number): void => {
      const key = `${cluster} ${namespace}`;
      own.set(key, (own.get(key) ?? 0) + bytes);
      add(key, bytes);
    };
    return {
      admit(namespace, bytes) {
        const used = held.get(`${cluster} ${namespace}`) ?? 0;
        const hasRoom = bytes <= small || used + bytes <= free - bytes;
        if (hasRoom) count(namespace, bytes);
        return hasRoom;
      },
      count,
      lock() {
        const before = last;
        const { promise, resolve } = Promise.withResolvers<void>();
        last = before.then(() => promise);
        return before.then(() => resolve);
      },
      part: () => open(cluster),
      close() {
        for (const [key, bytes] of own) add(key, -bytes);
        own.clear();
      },
    };
  };
  return open;
}

/** Drops the child's content if there is no room for it. */
export function keepChild(
  memoryBudget: MemoryBudget,
  namespace: string,
  child: ObservedChild,
): ObservedChild {
  const hasRoom = memoryBudget.admit(namespace, weightOfChild(child));
  return hasRoom ? child : withoutContent(child, overBudget);
}

/** Upper bound for the size of a child's name, namespace and uid. The API server limits their lengths. */
const identityBytes = 1024;

export function weightOfChild(child: ObservedChild): number {
  const { ours, others, facts, readiness, unreadable, controller } = child;
  return identityBytes + weightOf([ours, others, facts, readiness, unreadable, controller]);
}

export const overBudget =
  "the objects of its namespace take more than their share of the function's memory; reduce their number or size, for example by a quota, or give the function more memory";

/** Counts a referenced object once, even if several resources share it. */
export function countWorlds(memory: MemoryBudget, worlds: readonly World[]): void {
  const counted = new Set<Found>();
  for (const { resource, children, reads } of worlds) {
    memory.count(resource.namespace, weightOf(resource));
    for (const child of children.values())
      memory.count(namespaceOf(resource, child), weightOfChild(child));
    for (const found of reads.values()) {
      if (counted.has(found) || found.object === undefined) continue;
      counted.add(found);
      memory.count(found.namespace ?? '', weightOf(found.object));
    }
  }
}
