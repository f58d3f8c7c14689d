import { getHeapStatistics } from 'node:v8';
import pLimit, { type LimitFunction } from 'p-limit';
import { weightOf } from '../json.ts';
import { type ObservedChild, withoutContent } from '../plan/observed/observed.ts';
import { type Found, namespaceOf, type World } from '../plan/observed/world.ts';

/** Limits how many bytes of listed objects a run keeps for each namespace. */
export interface MemoryBudget extends Disposable {
  /** Reserves memory. Returns false if a large object exceeds the namespace's limit. */
  readonly admit: (namespace: string, bytes: number) => boolean;
  readonly count: (namespace: string, bytes: number) => void;
  /** Calls one function at a time, across all runs of the process. */
  readonly exclusive: LimitFunction;
  readonly part: () => MemoryBudget;
  /** Releases the memory reserved through this budget, but not through its parts. */
  readonly [Symbol.dispose]: () => void;
}

/** The share of the heap for listed objects. The rest is for responses being read, plans and writes. */
const shareOfHeap = 0.4;

export type Memory = (cluster: string) => MemoryBudget;

/**
 * Guarantees: after a reservation, a namespace holds at most as much memory as is still free. So one namespace gets at
 * most half of the memory, a second namespace a quarter, and a namespace that needs little always has room. Objects of
 * up to `small` bytes, such as ordinary Ingresses, are counted but always kept.
 * Caveats: an object that several runs hold counts once for each.
 */
export function openMemory(
  capacity = getHeapStatistics().heap_size_limit * shareOfHeap,
  small = 16 * 1024,
): Memory {
  const held = new Map<string, number>();
  let free = capacity;
  const exclusive = pLimit(1);
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
      exclusive,
      part: () => open(cluster),
      [Symbol.dispose]() {
        for (const [key, bytes] of own) add(key, -bytes);
        own.clear();
      },
    };
  };
  return open;
}

export function keepChild(memoryBudget: MemoryBudget, namespace: string, child: ObservedChild) {
  const hasRoom = memoryBudget.admit(namespace, weightOfChild(child));
  return hasRoom ? child : withoutContent(child, overBudget);
}

/** Upper bound for name, namespace and uid, whose lengths the API server limits. */
const identityBytes = 1024;

export function weightOfChild(child: ObservedChild): number {
  const { ours, others, facts, readiness, unreadable, controller } = child;
  return identityBytes + weightOf([ours, others, facts, readiness, unreadable, controller]);
}

export const overBudget =
  "the objects of its namespace take more than their share of the function's memory; reduce their number or size, for example with a quota, or give the function more memory";

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
