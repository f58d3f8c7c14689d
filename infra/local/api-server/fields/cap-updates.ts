import { union } from './field-set.ts';
import { compareText, identify, type ManagedEntry, type Managers, secondsOf } from './managers.ts';

const maxUpdateEntries = 10;

/** At most ten entries of updates: the oldest are merged, one `ancient-changes` for each version. */
export function capUpdates(managers: Managers): Managers {
  const updates = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updates.length <= maxUpdateEntries) return managers;
  updates.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || compareText(idA, idB));
  const result = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let excess = updates.length - maxUpdateEntries;
  for (const [id, entry] of updates) {
    if (excess === 0) break;
    const first = firstOfVersion.get(entry.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, id);
    } else {
      mergeOldest(result, { first, id, entry });
      excess -= 1;
    }
  }
  return result;
}

function mergeOldest(
  managers: Map<string, ManagedEntry>,
  { first, id, entry }: { first: string; id: string; entry: ManagedEntry },
): void {
  const { time: _, subresource: __, ...version } = entry;
  const bucket: ManagedEntry = { ...version, manager: 'ancient-changes' };
  const bucketId = identify(bucket);
  const merged = managers.get(bucketId) ?? managers.get(first);
  if (!managers.has(bucketId)) managers.delete(first);
  managers.delete(id);
  const fieldsV1 = merged === undefined ? entry.fieldsV1 : union(entry.fieldsV1, merged.fieldsV1);
  const time = entry.time === undefined ? {} : { time: entry.time };
  managers.set(bucketId, { ...bucket, ...time, fieldsV1 });
}
