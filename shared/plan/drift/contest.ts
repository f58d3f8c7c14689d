import { type ObjectRef, titleOf } from '../../kubernetes.ts';
import { nameInText } from '../../printable.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { type Cause, isAbout, isDeletion, lastOf } from './cause.ts';
import type { Difference } from './drift.ts';

/** A write that may undo another writer's change, to be checked for a fight. */
export interface Attempt {
  readonly verb: 'create' | 'update' | 'consolidate' | 'delete';
  readonly child: ObjectRef;
  readonly observed: ObservedChild | undefined;
  readonly differences: readonly Difference[];
}

/** Why a write is left to the next resync. */
interface Fight {
  readonly reason: typeof contested;
  readonly message: string;
}

export type FightDetector = (attempt: Attempt) => Fight | undefined;

/** The earlier writes that a run knows of. */
export interface RecentWrites {
  readonly now: string;
  readonly repairs: readonly Repair[];
  /** The message of the Ready condition for this generation; empty without one. */
  readonly readyMessage: string;
  /** When the status was last written, RFC 3339. */
  readonly statusTime: string | undefined;
  /** True if the run serves a request message, which may be delivered twice. */
  readonly fromRequestMessage: boolean;
  readonly namespace: string;
  readonly causes: readonly Cause[];
}

/** One of our Events `Repaired`. */
export interface Repair {
  readonly message: string;
  readonly time: string;
}

const windowMs = 30_000;
/** Clocks differ, and managedFields have whole seconds. */
const leewayMs = 5_000;

const contested = 'Contested';

/** Begins the Event about a child that was created again, after kind and name. */
export const createdAgain = 'was gone, created again';

/** Reports whether a condition's reason means that a write is left to the next resync. */
export const isDeferredToResync = (reason: string): boolean => reason === contested;

/** Reports whether our own Events must be read to know if an attempt is a fight. */
export const needsRepairEvents = ({ verb, observed, differences }: Attempt, now: string): boolean =>
  verb === 'create' ||
  (verb === 'update' && observed !== undefined && maybeContested(observed, differences, now));

/**
 * Detects writes that another writer undoes within 30 s each time.
 *
 * Flow: a field or child is contested if one of our Events reports its repair less than 30 s before it was changed or
 * deleted again. A deletion is contested if an unwanted object that we never wrote has just appeared.
 * Guarantees: a write is withheld only if everything that it would repair is contested. After 30 s, a request message
 * performs writes that the status left to a resync, because anyone who may create Events can imitate ours.
 */
export function fightDetector(given: RecentWrites): FightDetector {
  const recent = given.fromRequestMessage ? withinWindow(given) : given;
  return (attempt) => {
    const { verb, child, observed } = attempt;
    if (given.fromRequestMessage && isLeft(child, given)) return undefined;
    if (verb === 'create') return deletedAgain(child, recent);
    if (observed === undefined) return undefined;
    if (verb === 'update') return changedAgain(attempt, observed, recent);
    if (verb === 'delete') return createdByOthers(observed, recent.now);
    return recent.fromRequestMessage ? undefined : consolidatedAtResyncs(child);
  };
}

/** Keeps the repairs of the last 30 s: two request messages further apart belong to different resyncs. */
const withinWindow = (recent: RecentWrites): RecentWrites => ({
  ...recent,
  repairs: recent.repairs.filter(({ time }) => isWithin(time, recent.now)),
  readyMessage: '',
});

/** Reports whether an earlier run left the child to a resync. A repair since then would have changed the status. */
const isLeft = (child: ObjectRef, { readyMessage, statusTime, now }: RecentWrites): boolean =>
  statusTime !== undefined &&
  !isWithin(statusTime, now) &&
  readyMessage
    .split('; ')
    .some((text) => text.startsWith(titleOf(child)) && isFought(text.slice(titleOf(child).length)));

/** Reports whether a condition's text after kind and name says that the child is left to a resync. */
const isFought = (text: string): boolean =>
  text.startsWith(deletedText) ||
  text.startsWith(unwantedText) ||
  (text.startsWith(': ') && text.includes(setText));

const deletedText = ' is deleted again and again';
const setText = ' is set again and again by ';
const unwantedText = ' is not wanted and was created by ';

function deletedAgain(child: ObjectRef, recent: RecentWrites): Fight | undefined {
  const cause = lastOf(
    recent.causes.filter((one) => isAbout(one, child, recent.namespace) && isDeletion(one)),
  );
  const isAgain = repairsOf(child, recent, cause?.time ?? recent.now).some((text) =>
    text.startsWith(createdAgain),
  );
  if (!isAgain) return undefined;
  const begin = `${titleOf(child)}${deletedText}`;
  const known = recent.readyMessage.split('; ').find((text) => text.startsWith(`${begin} by `));
  const by = cause === undefined ? begin : `${begin} by ${nameInText(cause.user)}`;
  return { reason: 'Contested', message: `${known ?? by}; created only by the scheduled resync` };
}

function changedAgain(
  { child, differences }: Attempt,
  observed: ObservedChild,
  recent: RecentWrites,
): Fight | undefined {
  const isNamed = ({ path, writer }: Difference): boolean =>
    repairsOf(child, recent, writer?.time ?? recent.now).some(
      (text) => `; ${text}`.includes(`; ${path} `) || text.endsWith('…'),
    );
  const taken = maybeContested(observed, differences, recent.now)
    ? differences.filter((one) => isChangedByOthers(one) && isNamed(one))
    : [];
  if (taken.length === 0 || taken.length < differences.length) return undefined;
  const what = taken.map(
    ({ path, writer }) =>
      `${path}${setText}${writer === undefined ? 'another writer' : nameInText(writer.manager)}`,
  );
  const message = `${titleOf(child)}: ${what.join('; ')}; repaired only by the scheduled resync`;
  return { reason: 'Contested', message };
}

/** Reports whether a write only undid changes to a child and applied nothing new. */
export const isRepair = ({
  differences = [],
  lost,
}: {
  readonly differences?: readonly Difference[];
  readonly lost?: boolean;
}): boolean => lost === true || (differences.length > 0 && differences.every(isChangedByOthers));

/** Reports whether another writer set or removed the field; otherwise we hold it, and the wanted value changed. */
const isChangedByOthers = ({ from, writer }: Difference): boolean =>
  writer !== undefined || from === undefined;

/** Reports whether other writers may have changed fields of the child less than 30 s after our last change of it. */
export function maybeContested(
  child: ObservedChild,
  differences: readonly Difference[],
  now: string,
): boolean {
  const taken = differences.filter(isChangedByOthers);
  if (taken.length === 0) return false;
  const ourTime = child.ours?.time;
  const times = taken.flatMap(({ writer }) => writer?.time ?? []).toSorted();
  return ourTime === undefined || isWithin(ourTime, times.at(-1) ?? now);
}

/** Detects an unwanted child that another manager has just created and we never wrote. */
function createdByOthers(child: ObservedChild, now: string) {
  const { ours, others } = child;
  const isYoung = others.every(({ time }) => time !== undefined && isWithin(time, now));
  if (ours !== undefined || others.length === 0 || !isYoung) return undefined;
  const managers = [...new Set(others.map(({ manager }) => nameInText(manager)))].join(', ');
  const message = `${titleOf(child)}${unwantedText}${managers}; only the scheduled resync deletes it`;
  return { reason: 'Contested', message } as const;
}

const consolidatedAtResyncs = (child: ObjectRef): Fight => ({
  reason: 'Contested',
  message: `managedFields of ${titleOf(child)} are consolidated only by the scheduled resync`,
});

/** The repairs of a child that our Events report for the 30 s before a time. */
const repairsOf = (
  child: ObjectRef,
  { repairs }: RecentWrites,
  before: string,
): readonly string[] =>
  repairs
    .filter(
      ({ message, time }) => message.startsWith(`${titleOf(child)}: `) && isWithin(time, before),
    )
    .map(({ message }) => message.slice(`${titleOf(child)}: `.length));

/** Ignores times in the future, which anyone can write into managedFields and Events. */
function isWithin(time: string, now: string): boolean {
  const age = Date.parse(now) - Date.parse(time);
  return age < windowMs && age > -leewayMs;
}
