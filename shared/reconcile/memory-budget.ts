import { getHeapStatistics } from 'node:v8';
import type { KubeObject } from '../kubernetes.ts';
import { type ObservedChild, observeChild, withoutContent } from '../plan/observed.ts';
import type { Pool } from '../plan/unreadable.ts';

/** What may be kept of the objects that were listed, counted in bytes and by namespace. */
export interface MemoryBudget {
  /** Reserves this many bytes; false, and nothing is counted, if they may not be kept. */
  readonly admit: (namespace: string, bytes: number) => boolean;
  /** Counts what is kept already. */
  readonly count: (namespace: string, bytes: number) => void;
  /** A separate budget that takes from the same memory. */
  readonly part: () => MemoryBudget;
  /** Each part is closed by the code that opened it. */
  readonly close: () => void;
}

/** The rest is for answers that are being read, and for the work itself. */
const shareOfHeap = 0.4;

/** The memory that all runs of a process share; by default a part of its heap. */
export type Memory = (cluster: string) => MemoryBudget;

/**
 * Guarantees: a namespace is admitted more only while it holds no more than is still free, so one takes
 * half of the memory at most, a second one a quarter, and there is always room for one that needs little.
 * What is `small` (in bytes) is counted and always kept, so large objects crowd out only large ones:
 * an Ingress of ordinary size, and the resource that closes it, are kept whatever Secrets are there.
 * Caveats: memory grows with the number of small objects; runs at the same time count the same object
 * once each.
 */
export function openMemory(
  capacity = getHeapStatistics().heap_size_limit * shareOfHeap,
  small = 16 * 1024,
): Memory {
  const held = new Map<string, number>();
  let free = capacity;
  const add = (place: string, bytes: number): void => {
    const now = (held.get(place) ?? 0) + bytes;
    if (now > 0) held.set(place, now);
    else held.delete(place);
    free -= bytes;
  };
  const open = (cluster: string): MemoryBudget => {
    const own = new Map<string, number>();
    const count = (namespace: string, bytes: number): void => {
      const place = `${cluster} ${namespace}`;
      own.set(place, (own.get(place) ?? 0) + bytes);
      add(place, bytes);
    };
    return {
      admit(namespace, bytes) {
        const isFree =
          bytes <= small || (held.get(`${cluster} ${namespace}`) ?? 0) + bytes <= free - bytes;
        if (isFree) count(namespace, bytes);
        return isFree;
      },
      count,
      part: () => open(cluster),
      close() {
        for (const [place, bytes] of own) add(place, -bytes);
        own.clear();
      },
    };
  };
  return open;
}

/** A child as it is kept: one that is not admitted is reduced to its identity. */
export function keepChild(
  memoryBudget: MemoryBudget,
  live: KubeObject,
  pool?: Pool,
): ObservedChild {
  const child = observeChild(live, pool);
  return memoryBudget.admit(child.namespace, weightOf(child))
    ? child
    : withoutContent(child, overBudget);
}

export const overBudget =
  "the objects of its namespace take more than their share of the function's memory; make them fewer or smaller (a quota), or give the function more memory";

/** About how many bytes a value takes on the heap. */
export function weightOf(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    bytes += 16;
    if (typeof one === 'string') bytes += isWide(one) ? 2 * one.length : one.length;
    else if (typeof one === 'object' && one !== null) {
      bytes += 48;
      for (const inner of Object.values(one)) left.push(inner);
    }
  }
  return bytes;
}

/** V8 takes two bytes for each character of such a text. */
const isWide = (text: string): boolean => /[^\0-\xff]/.test(text);
