import type { KubeObject } from '../objects/object.ts';
import { type Collection, commit, createCollection, find, forget } from './collection.ts';
import { type Change, encode, keyOf, type Stored } from './stored.ts';

/**
 * Plays the part of etcd: one revision counter for all resources, objects in key order, a bounded history.
 *
 * Guarantees: every commit is atomic and has its own revision; listeners are called in order, within the
 * commit.
 * Caveats: nothing is on disk. `readAt` and `changesSince` are wrong below the compacted revision, so check
 * `compacted` first.
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
    isFilledIn?: boolean,
  ) => Stored;
  readonly remove: (collection: string, key: string) => Change | undefined;
  /** Rewrites the stored text of objects, as decoding under a new schema does, without new revisions. */
  readonly refresh: (collection: string, shown: (stored: Stored) => Stored) => void;
  /** Drops the history up to now, or up to `revision`. */
  readonly compact: (revision?: number) => void;
  readonly subscribe: (listener: (change: Change) => void) => () => void;
}

/** The history to keep, by changes and by bytes; compaction begins at twice as much. */
const historyLimit = 10_000;
const historyBytes = 64 * 1024 * 1024;

export const createStore = (): Store => new MemoryStore();

class MemoryStore implements Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #history = new History();
  // The first object of a cluster never gets version 1, because "1" stands for absence in a lock.
  #revision = 1;
  #compacted = 0;

  revision(): number {
    return this.#revision;
  }

  compacted(): number {
    return this.#compacted;
  }

  collection(name: string): Collection {
    const known = this.#collections.get(name);
    if (known) return known;
    const created = createCollection(name, this.#revision);
    this.#collections.set(name, created);
    return created;
  }

  get(name: string, namespace: string, object: string): Stored | undefined {
    return find(this.collection(name), keyOf(namespace, object));
  }

  put(
    name: string,
    object: KubeObject,
    fields: Readonly<Record<string, string>> = {},
    isFilledIn = false,
  ): Stored {
    this.#revision += 1;
    const encoded = encode(object, this.#revision, fields);
    const after = isFilledIn ? { ...encoded, isFilledIn } : encoded;
    const before = find(this.collection(name), after.key);
    this.#record({
      collection: name,
      revision: this.#revision,
      after,
      ...(before ? { before } : {}),
    });
    return after;
  }

  remove(name: string, key: string): Change | undefined {
    const before = find(this.collection(name), key);
    if (before === undefined) return undefined;
    this.#revision += 1;
    const change: Change = { collection: name, revision: this.#revision, before };
    this.#record(change);
    return change;
  }

  refresh(name: string, shown: (stored: Stored) => Stored): void {
    const { entries } = this.collection(name);
    entries.forEach((stored, index) => {
      entries[index] = shown(stored);
    });
  }

  compact(upTo = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, upTo);
    this.#history.keepNewest(this.#revision - this.#compacted);
    for (const one of this.#collections.values()) forget(one, this.#compacted);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #record(change: Change): void {
    commit(this.collection(change.collection), change);
    this.#history.add(change);
    if (this.#history.isTooLong()) this.compact(this.#revision - this.#history.countWithinBounds());
    for (const listener of this.#listeners) listener(change);
  }
}

/** The length of the text that only the history keeps, for each change since the compacted revision. */
class History {
  #lengths: number[] = [];
  #sum = 0;

  add({ before }: Change): void {
    const length = before?.body.length ?? 0;
    this.#lengths.push(length);
    this.#sum += length;
  }

  isTooLong(): boolean {
    return this.#lengths.length > 2 * historyLimit || this.#sum > 2 * historyBytes;
  }

  /** Returns how many of the latest changes are within both limits. */
  countWithinBounds(): number {
    let [count, bytes] = [0, 0];
    for (const length of this.#lengths.toReversed()) {
      bytes += length;
      if (count === historyLimit || bytes > historyBytes) break;
      count += 1;
    }
    return count;
  }

  keepNewest(count: number): void {
    this.#lengths = this.#lengths.slice(Math.max(0, this.#lengths.length - count));
    this.#sum = this.#lengths.reduce((sum, length) => sum + length, 0);
  }
}
