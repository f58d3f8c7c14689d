import { getHeapStatistics } from 'node:v8';
import { weightOf } from '../json.ts';
import { type ObservedChild, withoutContent } from '../plan/observed/observed.ts';
import { type Found, namespaceOf } from '../plan/observed/world.ts';
import type { LiveWorld } from './state.ts';

/** Bounds the bytes that a run keeps of listed objects, by namespace. */
export interface MemoryBudget {
  /** Reserves this many bytes. Returns false, and reserves nothing, if they may not be kept. */
  readonly admit: (namespace: string, bytes: number) => boolean;
  /** Counts bytes that are kept in any case. */
  readonly count: (namespace: string, bytes: number) => void;
  /** Waits for a turn that only one run of the process has at a time. Call the result to end it. */
  readonly turn: () => Promise<() => void>;
  /** A budget over the same memory that is released separately. */
  readonly part: () => MemoryBudget;
  /** Releases what this budget holds. Its parts are closed by the code that created them. */
  readonly close: () => void;
}

/** Share of the heap for kept objects. The rest is for responses being read and for the work itself. */
const shareOfHeap = 0.4;

/** Creates the budget of a run on a cluster; all runs of a process share one memory. */
export type Memory = (cluster: string) => MemoryBudget;

/**
 * Opens the memory for kept objects.
 *
 * Guarantees: a namespace may keep more only while it holds no more than what is still free. So one
 * namespace takes at most half of the memory, a second one a quarter, and there is always room for one that
 * needs little. Objects of up to `small` bytes are counted but always kept, so large objects crowd out only
 * large ones. An exposing child of ordinary size, and the resource that would close it, are therefore
 * always kept.
 * Caveats: memory grows with the number of small objects. Concurrent runs each count the same object.
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
        const own = held.get(`${cluster} ${namespace}`) ?? 0;
        const hasRoom = bytes <= small || own + bytes <= free - bytes;
        if (hasRoom) count(namespace, bytes);
        return hasRoom;
      },
      count,
      turn() {
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

/** Reserves memory for a child. Reduces the child to its identity if the budget does not admit it. */
export function keepChild(
  memoryBudget: MemoryBudget,
  namespace: string,
  child: ObservedChild,
  bytes = weightOfChild(child),
): ObservedChild {
  return memoryBudget.admit(namespace, bytes) ? child : withoutContent(child, overBudget);
}

/** Upper bound for the identity of a child: the API server limits its names, and the type is shared. */
const identityBytes = 1024;

export function weightOfChild(child: ObservedChild): number {
  const { ours, others, facts, readiness, unreadable } = child;
  const content = [ours, others, facts, readiness, unreadable];
  // The API server accepts owner names of any length.
  return identityBytes + weightOf([...content, child.controller]);
}

export const overBudget =
  "the objects of its namespace take more than their share of the function's memory; reduce their number or size (a quota), or give the function more memory";

/** Counts the worlds that a run keeps. An object that many resources refer to counts once. */
export function countWorlds(memory: MemoryBudget, worlds: readonly LiveWorld[]): void {
  const counted = new Set<Found>();
  for (const { resource, children, reads } of worlds) {
    memory.count(resource.namespace, weightOf(resource));
    for (const child of children.values())
      memory.count(namespaceOf(resource, child), weightOfChild(child));
    for (const found of reads.values()) {
      if (counted.has(found) || !('object' in found)) continue;
      counted.add(found);
      memory.count(found.namespace ?? '', weightOf(found.object));
    }
  }
}
