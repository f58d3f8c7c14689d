import type { KnownPage, KnownPages } from '../cluster/cluster.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What a tick made of an object; undefined if nothing of it is kept. */
export type Made = { readonly namespace: string; readonly bytes: number } | undefined;

/** The lists of the whole ticks of a process on one cluster. */
export interface KnownLists {
  /** The pages of the list of this name; `again` is called for what was made of the objects of a known one. */
  readonly pagesOf: <M extends Made>(list: string, again: KnownPages<M>['again']) => KnownPages<M>;
}

/**
 * Keeps what whole ticks make of the pages that they list, for the next one: most pages have not changed.
 *
 * Guarantees: no state outlives a run, as every page is read afresh, and what was made of it is used again only for
 * the same bytes. Of each page that was read last, no more is kept than a run holds; it counts in the memory.
 * Caveats: what is made of an object must depend on nothing else that may change. A tick with another Scope than the
 * whole area must not use it, as its lists are others.
 */
export function openKnownLists(memory: MemoryBudget): KnownLists {
  const lists = new Map<string, Page[]>();
  return {
    pagesOf<M extends Made>(list: string, again: KnownPages<M>['again']): KnownPages<M> {
      const pages = lists.get(list) ?? [];
      lists.set(list, pages);
      return {
        recall(at, digest) {
          const page = pages[at]?.page;
          return page?.digest === digest ? (page as KnownPage<M>) : undefined;
        },
        keep(at, page) {
          pages[at]?.held.close();
          if (page === undefined) delete pages[at];
          else pages[at] = { page, held: heldBy(memory, page) };
        },
        end(at) {
          for (const one of pages.splice(at)) one?.held.close();
        },
        again,
      };
    },
  };
}

interface Page {
  readonly page: KnownPage<Made>;
  readonly held: MemoryBudget;
}

/** Objects of a namespace are neighbours. */
function heldBy(memory: MemoryBudget, { made }: KnownPage<Made>): MemoryBudget {
  const held = memory.part();
  const bytes = new Map<string, number>();
  for (const one of made)
    if (one !== undefined) bytes.set(one.namespace, (bytes.get(one.namespace) ?? 0) + one.bytes);
  for (const [namespace, sum] of bytes) held.count(namespace, sum);
  return held;
}
