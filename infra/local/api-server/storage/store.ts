import type { KubeObject } from '../objects/object.ts';
import { type Collection, commit, createCollection, find, forget } from './collection.ts';
import { type Change, encode, keyOf, type Stored } from './stored.ts';

/**
 * What etcd is to a real API server: one revision counter for all resources, objects in key order,
 * a bounded history.
 *
 * Guarantees: every commit is atomic and has its own revision; listeners are called in order,
 * within the commit.
 * Caveats: nothing is on disk; `readAt` and `changesSince` below the compacted revision are wrong,
 * so check `compacted` first.
 */
export interface Store {
  readonly revision: () => number;
  readonly compacted: () => number;
  readonly collection: (name: string) => Collection;
  readonly get: (collection: string, namespace: string, name: string) => Stored | undefined;
  readonly put: (
    collection: string,
    object: KubeObject,
    fields?: Readonly<Record<string, string>>,
  ) => Stored;
  readonly remove: (collection: string, key: string) => Change | undefined;
  /** Rewrites how objects are shown, as decoding under a new schema does: no new revisions. */
  readonly refresh: (collection: string, shown: (stored: Stored) => Stored) => void;
  /** Forgets the history up to now, or up to `revision`. */
  readonly compact: (revision?: number) => void;
  readonly subscribe: (listener: (change: Change) => void) => () => void;
}

/** What is kept at least, unless it is larger than that; twice as much is compacted. */
const historyLimit = 10_000;
const historyBytes = 64 * 1024 * 1024;

export function createStore(): Store {
  const collections = new Map<string, Collection>();
  const listeners = new Set<(change: Change) => void>();
  // The first object of a cluster never has version 1: "1" is the version no live object has.
  let revision = 1;
  let compacted = 0;
  /** Of each change since `compacted`: how long the text is that only history keeps. */
  let lengths: number[] = [];
  let kept = 0;

  const collection = (name: string): Collection => {
    const known = collections.get(name);
    if (known) return known;
    const created = createCollection(name, revision);
    collections.set(name, created);
    return created;
  };

  const compact = (upTo = revision): void => {
    compacted = Math.max(compacted, upTo);
    lengths = lengths.slice(Math.max(0, lengths.length - (revision - compacted)));
    kept = lengths.reduce((sum, length) => sum + length, 0);
    for (const one of collections.values()) forget(one, compacted);
  };

  const record = (change: Change): void => {
    commit(collection(change.collection), change);
    const length = change.before?.body.length ?? 0;
    lengths.push(length);
    kept += length;
    if (lengths.length > 2 * historyLimit || kept > 2 * historyBytes)
      compact(revision - newest(lengths));
    for (const listener of listeners) listener(change);
  };

  return {
    revision: () => revision,
    compacted: () => compacted,
    collection,
    get: (name, namespace, object) => find(collection(name), keyOf(namespace, object)),
    put: (name, object, fields = {}) => {
      revision += 1;
      const after = encode(object, revision, fields);
      const before = find(collection(name), after.key);
      record({ collection: name, revision, after, ...(before ? { before } : {}) });
      return after;
    },
    remove: (name, key) => {
      const before = find(collection(name), key);
      if (before === undefined) return undefined;
      revision += 1;
      const change: Change = { collection: name, revision, before };
      record(change);
      return change;
    },
    refresh: (name, shown) => {
      const { entries } = collection(name);
      entries.forEach((stored, index) => {
        entries[index] = shown(stored);
      });
    },
    compact,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** How many changes, from the last one back, are within both bounds. */
function newest(lengths: readonly number[]): number {
  let [count, bytes] = [0, 0];
  for (const length of lengths.toReversed()) {
    bytes += length;
    if (count === historyLimit || bytes > historyBytes) break;
    count += 1;
  }
  return count;
}
