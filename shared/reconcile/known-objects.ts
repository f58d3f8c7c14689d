import type { KnownObjects } from '../cluster/cluster.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed.ts';
import { isNoMember } from '../plan/rollout-wave.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** What a tick made of an object. */
export interface Made {
  readonly namespace: string;
  readonly bytes: number;
}

/** The lists of the whole ticks of a process on one cluster. */
export interface KnownLists {
  /** The objects of the list of this name, which is about to be read; `again` as in KnownObjects. */
  readonly list: <M extends Made>(name: string, again: KnownObjects<M>['again']) => KnownObjects<M>;
  /** Counts what is known in the memory, or forgets what has no room: until then the run has counted it. */
  readonly count: () => void;
}

/** Objects that may be created between two ticks, in front of others, before these count as unknown. */
const mostAdded = 1000;

/** An entry, and the digest of the object. */
const entryBytes = 256;

/**
 * Keeps what whole ticks make of the objects that they list, for the next one: most objects have not changed.
 *
 * Flow: lists are in the order of their keys. While one is read again, what was known before is forgotten in its
 * order, so that what is known of a list is not held twice. Where memory is short, all of it is forgotten.
 * Guarantees: no state outlives a run, as every object is received afresh, and what was made of it is used again only
 * for the same bytes. What is kept counts in the memory, and takes at most half of it: where objects take more, the
 * others are read anew in each tick.
 * Caveats: what is made of an object must depend on nothing else that may change. A tick with another Scope than the
 * whole area must not use it, as its lists are others.
 */
export function openKnownLists(memory: MemoryBudget): KnownLists {
  const lists = new Map<string, List>();
  const all = (): readonly Objects[] =>
    [...lists.values()].flatMap(({ known, begun }) => [known, begun]);
  memory.onShort(() => {
    for (const objects of all()) objects.clear();
    memory.close();
  });
  return {
    list<M extends Made>(name: string, again: KnownObjects<M>['again']): KnownObjects<M> {
      const { known, begun } = lists.get(name) ?? { known: new Map(), begun: new Map() };
      const before: Objects = begun.size === 0 ? known : new Map([...begun, ...known]);
      const oldest = before.keys();
      const objects: Objects = new Map();
      lists.set(name, { known: before, begun: objects });
      let read = 0;
      return {
        again,
        recall: (digest) => before.get(digest) as M | undefined,
        keep(digest, made) {
          if (made !== undefined) objects.set(digest, made);
          if (++read > mostAdded) before.delete(oldest.next().value ?? '');
        },
        end: () => void lists.set(name, { known: objects, begun: new Map() }),
      };
    },
    count() {
      memory.close();
      for (const entries of byNamespace(all()))
        for (const { objects, digest, made } of entries)
          if (!memory.admitSpare(made.namespace, made.bytes + entryBytes)) objects.delete(digest);
    },
  };
}

interface List {
  readonly known: Objects;
  /** What was read since: of a list that breaks off it is known the next time, too. */
  readonly begun: Objects;
}

/** What was made of objects, by their digests. */
type Objects = Map<string, Made>;

interface Entry {
  readonly objects: Objects;
  readonly digest: string;
  readonly made: Made;
}

/** A resource is at rest only as long as its children are known, so a namespace is known as a whole, if it has room. */
function byNamespace(lists: Iterable<Objects>): Iterable<readonly Entry[]> {
  const namespaces = new Map<string, Entry[]>();
  for (const objects of lists)
    for (const [digest, made] of objects) {
      const entries = namespaces.get(made.namespace) ?? [];
      namespaces.set(made.namespace, entries);
      entries.push({ objects, digest, made });
    }
  return namespaces.values();
}

/** A resource for which nothing is to be done, as long as neither it nor a child of it changes. */
export interface AtRest {
  readonly namespace: string;
  readonly uid: string;
  readonly rollout: ObservedResource['rollout'];
  /** Weak, as they are kept by their own list alone. */
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
