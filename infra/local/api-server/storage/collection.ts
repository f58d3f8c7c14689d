import type { Change, Stored } from './stored.ts';

/** The objects of one resource in key order, and their changes. */
export interface Collection {
  readonly name: string;
  /** The revision at which the history begins. */
  readonly since: number;
  readonly entries: Stored[];
  readonly changes: Change[];
  readonly snapshots: Map<number, readonly Stored[]>;
}

const snapshotsKept = 8;

export function createCollection(name: string, since: number): Collection {
  return {
    name,
    since,
    entries: [],
    changes: [],
    snapshots: new Map(),
  };
}

/** Returns the index of `key`, or the index at which to insert it. */
export function positionOf(entries: readonly Stored[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function find(collection: Collection, key: string): Stored | undefined {
  const entry = collection.entries[positionOf(collection.entries, key)];
  return entry?.key === key ? entry : undefined;
}

/** Replaces the entry of a key by `after`, or removes it. */
function place(entries: Stored[], key: string, after: Stored | undefined): void {
  const position = positionOf(entries, key);
  const present = entries[position]?.key === key;
  if (after === undefined) {
    if (present) entries.splice(position, 1);
  } else if (present) entries[position] = after;
  else entries.splice(position, 0, after);
}

export function commit(collection: Collection, change: Change): void {
  const key = change.after?.key ?? change.before?.key;
  if (key === undefined) return;
  place(collection.entries, key, change.after);
  collection.changes.push(change);
}

/**
 * Returns the entries at `revision`. The result may be the live array: use it before the next commit and do
 * not keep it.
 */
export function entriesAt(collection: Collection, revision: number): readonly Stored[] {
  const last = collection.changes.at(-1);
  if (last === undefined || last.revision <= revision) return collection.entries;
  const kept = collection.snapshots.get(revision);
  if (kept) return kept;
  const entries = collection.entries.slice();
  for (let index = collection.changes.length - 1; index >= 0; index--) {
    const change = collection.changes[index];
    if (change === undefined || change.revision <= revision) break;
    place(entries, change.after?.key ?? change.before?.key ?? '', change.before);
  }
  const oldest = collection.snapshots.keys().next();
  if (collection.snapshots.size >= snapshotsKept && !oldest.done) {
    collection.snapshots.delete(oldest.value);
  }
  collection.snapshots.set(revision, entries);
  return entries;
}

/** Returns the changes after `revision`, oldest first. */
export function changesSince(collection: Collection, revision: number): readonly Change[] {
  const { changes } = collection;
  let start = changes.length;
  while (start > 0 && (changes[start - 1]?.revision ?? 0) > revision) start--;
  return changes.slice(start);
}

/** Drops the changes up to `revision`. */
export function forget(collection: Collection, revision: number): void {
  const { changes, snapshots } = collection;
  let count = 0;
  while (count < changes.length && (changes[count]?.revision ?? 0) <= revision) count++;
  changes.splice(0, count);
  for (const kept of snapshots.keys()) if (kept < revision) snapshots.delete(kept);
}
