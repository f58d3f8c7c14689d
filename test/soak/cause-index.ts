import type { ForeignWrite, InjectedFault, OwnWrite, Record } from './record.ts';

/** A possible cause of a write. */
export type Source = ForeignWrite | OwnWrite | InjectedFault;

export const isEvent = ({ key }: OwnWrite): boolean => key.startsWith('events ');

/** Returns the first index of a list sorted by time that is not before `time`. */
export function firstAt(list: readonly Source[], time: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.at ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All writes and faults by key, sorted by time. */
export interface Index {
  /** Foreign writes that change more than a status, by key. */
  readonly deeds: ReadonlyMap<string, readonly ForeignWrite[]>;
  readonly writes: ReadonlyMap<string, readonly OwnWrite[]>;
  readonly injectedFaults: ReadonlyMap<string, readonly InjectedFault[]>;
  /** Everything that a status may report: all writes, including those of statuses, and faults. */
  readonly all: ReadonlyMap<string, readonly Source[]>;
  /** Keys of the objects that a resource has ever desired. */
  readonly family: ReadonlyMap<string, ReadonlySet<string>>;
  readonly desiredBy: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys of all Services, because any of them may have freed a node port. */
  readonly services: readonly string[];
}

export function indexOf({ deeds, writes, injectedFaults, desiredBy }: Record): Index {
  const family = new Map<string, Set<string>>();
  for (const [key, owners] of desiredBy)
    for (const owner of owners) family.set(owner, (family.get(owner) ?? new Set()).add(key));
  const keys = [...desiredBy.keys(), ...family.keys()];
  const byTime = (a: Source, b: Source): number => a.at - b.at;
  const spread = deeds.flatMap((deed) => ofCollection(deed, keys)).toSorted(byTime);
  const changes = spread.filter((deed) => deed.subresource !== 'status' && !isByControllers(deed));
  const children = writes
    .filter((write) => write.subresource !== 'status' && !isEvent(write))
    .toSorted(byTime);
  const all = [...spread, ...children, ...injectedFaults].toSorted(byTime);
  return {
    deeds: Map.groupBy(changes, ({ key }) => key),
    writes: Map.groupBy(children, ({ key }) => key),
    injectedFaults: Map.groupBy(injectedFaults.toSorted(byTime), ({ key }) => key),
    all: Map.groupBy(all, ({ key }) => key),
    family,
    desiredBy,
    services: [
      ...new Set(spread.map(({ key }) => key).filter((key) => key.startsWith('services '))),
    ],
  };
}

/** Expands the deletion of a collection to a deletion of each object in it. */
const ofCollection = (deed: ForeignWrite, keys: readonly string[]): readonly ForeignWrite[] =>
  deed.key.endsWith('/')
    ? keys.filter((key) => key.startsWith(deed.key)).map((key) => ({ ...deed, key }))
    : [deed];

/** Reports whether a write is a side effect of the cluster's own controllers; their deletions still count. */
const isByControllers = ({ user, verb, subresource }: ForeignWrite): boolean =>
  user.startsWith('system:') && !verb.startsWith('delete') && subresource !== 'scale';
