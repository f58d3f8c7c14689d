import { firstAt, type Index, indexOf, isEvent, type Source } from './cause-index.ts';
import type { ForeignWrite, OwnWrite, Record } from './record.ts';

/**
 * The cause of a write.
 *
 * - author: the resource was created, edited or deleted.
 * - drift: another writer changed the object.
 * - deletion: another writer deleted the object.
 * - step: the write continues the one before (hand-over, generated data, ordered exposure).
 * - sibling: an object that it waited for was written or removed.
 * - change: the facts that a status or an Event reports have changed.
 * - mishap: a request about the object was disturbed.
 */
export type Cause =
  | 'author'
  | 'drift'
  | 'deletion'
  | 'step'
  | 'sibling'
  | 'change'
  | 'mishap'
  | 'unexplained';

export interface Explained {
  readonly write: OwnWrite;
  readonly cause: Cause;
}

/** Longest time by which faults, kills, clocks and missing CRDs may delay a repair. */
const lifeMs = 120_000;
/** Clock difference between the audit log and the proxy. */
const slackMs = 1_000;
/** Longest time between two steps of one run. */
const stepMs = 20_000;

/**
 * Finds a cause for each of our writes. The first write of an object that a cause explains spends it, so
 * two writes of one object need two causes. Events are explained by a write that they may report.
 *
 * Caveats: an edit is a possible cause for every child of its resource, even if it does not affect it.
 * Writes at rest are judged by the quiescence check.
 */
export function explain(record: Record): readonly Explained[] {
  const index = indexOf(record);
  const places = new Map<string, Place>();
  const writes = record.writes.toSorted((a, b) => a.at - b.at);
  return writes.map((write) => {
    const name = `${write.key}/${write.subresource}`;
    const place = places.get(name) ?? { spent: new Set(), last: undefined };
    places.set(name, place);
    const cause = causeOf(index, place, write);
    place.last = write;
    return { write, cause };
  });
}

/** State about the writes to one object, or to its status, so far. */
interface Place {
  readonly spent: Set<object>;
  last: OwnWrite | undefined;
}

function causeOf(index: Index, place: Place, write: OwnWrite): Cause {
  const spend = <T extends Source>(lists: readonly (readonly T[] | undefined)[]): T | undefined => {
    for (const list of lists) {
      const source = findInTime(list ?? [], write, (one) => !place.spent.has(one));
      if (source === undefined) continue;
      place.spent.add(source);
      return source;
    }
    return undefined;
  };
  const owners = ownersOf(index, write);
  const family = owners.flatMap((owner) => [owner, ...(index.family.get(owner) ?? [])]);
  if (isEvent(write)) return ofEvent(index, write, family);
  if (write.subresource === 'status') {
    const own = [write.key, ...(index.family.get(write.key) ?? [])];
    const keys = [...own, ...elsewhere(index, own)];
    return spend(keys.map((key) => index.all.get(key))) === undefined ? 'unexplained' : 'change';
  }
  const direct = spend([write.key, ...owners].map((key) => index.deeds.get(key)));
  if (direct !== undefined) return causeOfDeed(direct, owners);
  if (isStep(write, place.last, index)) return 'step';
  const near = [...family, ...elsewhere(index, family)];
  const others = near.filter((key) => key !== write.key).map((key) => index.writes.get(key));
  const freed = index.writes.get(write.key)?.filter(({ owner }) => owner !== write.owner);
  if (spend<Source>([...near.map((key) => index.deeds.get(key)), ...others, freed]))
    return 'sibling';
  return spend([index.injectedFaults.get(write.key)]) === undefined ? 'unexplained' : 'mishap';
}

/** Returns the first source in a list sorted by time that may have caused the write. */
function findInTime<T extends Source>(
  list: readonly T[],
  write: OwnWrite,
  isFree: (one: T) => boolean,
): T | undefined {
  const from = firstAt(list, write.sent - lifeMs);
  for (let at = from; at < list.length; at++) {
    const one = list[at];
    if (one === undefined || one.at > write.at + slackMs) return undefined;
    if (isFree(one)) return one;
  }
  return undefined;
}

const causeOfDeed = ({ key, verb }: ForeignWrite, owners: readonly string[]): Cause => {
  if (owners.includes(key)) return 'author';
  return verb.startsWith('delete') ? 'deletion' : 'drift';
};

/** Finds the cause of an Event, which comes shortly before or after the write that it reports, or from a run that was cut off. */
function ofEvent(index: Index, write: OwnWrite, family: readonly string[]): Cause {
  const near = (all: ReadonlyMap<string, readonly Source[]>): boolean =>
    family.some((key) => {
      const list = all.get(key) ?? [];
      const next = list[firstAt(list, write.at - lifeMs)];
      return next !== undefined && next.at <= write.at + lifeMs;
    });
  if (near(index.writes)) return 'change';
  return near(index.all) ? 'mishap' : 'unexplained';
}

/** Reports whether a write continues the last one: steps differ in manager or verb; an Ingress may need several applies. */
function isStep(write: OwnWrite, last: OwnWrite | undefined, index: Index): boolean {
  if (write.key.startsWith('ingresses.')) {
    const owner = write.owner ?? '';
    return [...(index.family.get(owner) ?? [])].some((key) => {
      const isOther = (one: OwnWrite) => one !== write && isBefore(one, write);
      const list = index.writes.get(key) ?? [];
      return list.slice(firstAt(list, write.sent - stepMs)).some(isOther);
    });
  }
  if (last === undefined || last.at < write.sent - stepMs || !isBefore(last, write)) return false;
  return last.manager !== write.manager || last.verb !== write.verb;
}

const isBefore = (one: OwnWrite, write: OwnWrite): boolean =>
  one.sender === write.sender && one.at <= write.at;

const ownersOf = ({ desiredBy }: Index, { owner, key }: OwnWrite): readonly string[] =>
  owner === undefined ? [...(desiredBy.get(key) ?? [])] : [owner];

const elsewhere = ({ services }: Index, family: readonly string[]): readonly string[] =>
  family.some((key) => key.startsWith('services ')) ? services : [];
