import { type FieldSet, noFields, unionOf } from './field-set.ts';
import { compareText, identify, type ManagedEntry, type Managers, secondsOf } from './managers.ts';

const maxUpdateEntries = 10;

/** Keeps at most ten Update entries: merges the oldest, of each version, into an entry `ancient-changes`. */
export function capUpdates(managers: Managers): Managers {
  const updates = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updates.length <= maxUpdateEntries) return managers;
  updates.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || compareText(idA, idB));
  const capped: Capped = { managers: new Map(managers), merged: new Map() };
  const firstOfVersion = new Map<string, string>();
  let excess = updates.length - maxUpdateEntries;
  for (const [id, entry] of updates) {
    if (excess === 0) break;
    const first = firstOfVersion.get(entry.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, id);
    } else {
      mergeOldest(capped, { first, id, entry });
      excess -= 1;
    }
  }
  for (const [id, sets] of capped.merged) {
    const entry = capped.managers.get(id);
    if (entry !== undefined) capped.managers.set(id, { ...entry, fieldsV1: unionOf(sets) });
  }
  return capped.managers;
}

interface Capped {
  readonly managers: Map<string, ManagedEntry>;
  /** The sets of fields to merge into each entry. */
  readonly merged: Map<string, FieldSet[]>;
}

function mergeOldest(
  { managers, merged }: Capped,
  { first, id, entry }: { first: string; id: string; entry: ManagedEntry },
): void {
  const { time: _, subresource: __, ...version } = entry;
  const bucket: ManagedEntry = { ...version, manager: 'ancient-changes', fieldsV1: noFields };
  const bucketId = identify(bucket);
  const before = managers.get(bucketId) ?? managers.get(first);
  const sets = merged.get(bucketId) ?? (before === undefined ? [] : [before.fieldsV1]);
  if (!managers.has(bucketId)) managers.delete(first);
  managers.delete(id);
  sets.push(entry.fieldsV1);
  merged.set(bucketId, sets);
  const time = entry.time === undefined ? {} : { time: entry.time };
  managers.set(bucketId, { ...bucket, ...time });
}
