import type { KnownPage, KnownPages } from '../cluster/cluster.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed.ts';
import { isNoMember } from '../plan/rollout-wave.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What a tick made of an object; undefined if nothing of it is kept. */
export type Made = { readonly namespace: string; readonly bytes: number } | undefined;

/** The lists of the whole ticks of a process on one cluster. */
export interface KnownLists {
  /** The pages of the list of this name; `again` is called for what was made of the objects of a known one. */
  readonly pagesOf: <M extends Made>(list: string, again: KnownPages<M>['again']) => KnownPages<M>;
  /** Counts what is kept since the last call in the memory, or forgets it: until then the run has counted it. */
  readonly count: () => void;
}

/**
 * Keeps what whole ticks make of the pages that they list, for the next one: most pages have not changed.
 *
 * Guarantees: no state outlives a run, as every page is read afresh, and what was made of it is used again only for
 * the same bytes. What is kept counts in the memory, and takes at most half of it: where objects take more, the other
 * pages are read anew in each tick.
 * Caveats: what is made of an object must depend on nothing else that may change. A tick with another Scope than the
 * whole area must not use it, as its lists are others.
 */
export function openKnownLists(memory: MemoryBudget): KnownLists {
  const lists = new Map<string, (Page | undefined)[]>();
  return {
    pagesOf<M extends Made>(list: string, again: KnownPages<M>['again']): KnownPages<M> {
      const pages = lists.get(list) ?? [];
      lists.set(list, pages);
      return {
        recall(at, digest) {
          const known = pages[at];
          if (known?.page.digest === digest) return known.page as KnownPage<M>;
          // It makes room for the page that takes its place.
          known?.held?.close();
          delete pages[at];
          return undefined;
        },
        keep(at, page) {
          if (page !== undefined) pages[at] = { page, held: pages[at]?.held, isCounted: false };
          else {
            pages[at]?.held?.close();
            delete pages[at];
          }
        },
        end(at) {
          for (const one of pages.splice(at)) one?.held?.close();
        },
        again,
      };
    },
    count() {
      for (const pages of lists.values())
        for (const [at, one] of pages.entries()) {
          if (one === undefined || one.isCounted) continue;
          one.held?.close();
          one.held = heldBy(memory, one.page);
          one.isCounted = true;
          if (one.held === undefined) delete pages[at];
        }
    },
  };
}

interface Page {
  readonly page: KnownPage<Made>;
  /** The memory for the page that was last at this place with the same digest, and then for this one. */
  held: MemoryBudget | undefined;
  isCounted: boolean;
}

/** Undefined if there is no room. Objects of a namespace are neighbours. */
function heldBy(memory: MemoryBudget, { made }: KnownPage<Made>): MemoryBudget | undefined {
  const held = memory.part();
  const bytes = new Map<string, number>();
  for (const one of made)
    if (one !== undefined) bytes.set(one.namespace, (bytes.get(one.namespace) ?? 0) + one.bytes);
  if ([...bytes].every(([namespace, sum]) => held.admitSpare(namespace, sum))) return held;
  held.close();
  return undefined;
}

/** A resource for which nothing is to be done, as long as neither it nor a child of it changes. */
export interface AtRest {
  readonly namespace: string;
  readonly uid: string;
  readonly rollout: ObservedResource['rollout'];
  /** Weak, as they are kept by their own pages alone. */
  readonly children: readonly WeakRef<ObservedChild>[];
  readonly bytes: number;
}

/** With more children a resource is planned in each tick, as they are compared each with all. */
const mostChildren = 64;

/** Undefined for one that is planned in each tick: its part in a rollout depends on the time and on others. */
export function atRest(
  { namespace, uid, rollout, deleting, suspended }: ObservedResource,
  children: readonly ObservedChild[],
): AtRest | undefined {
  if (deleting || suspended || !isNoMember(rollout) || children.length > mostChildren)
    return undefined;
  const refs = children.map((child) => new WeakRef(child));
  return { namespace, uid, rollout, children: refs, bytes: 512 };
}

/** Whether these are the children that it had; lists come in any order. */
export const isStillAtRest = (
  { children: before }: AtRest,
  children: readonly ObservedChild[],
): boolean =>
  before.length === children.length &&
  before.every((ref) => {
    const child = ref.deref();
    return child !== undefined && children.includes(child);
  });
