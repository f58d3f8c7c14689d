import { present } from '../../json.ts';
import { keyOf, type ObjectRef, titleOf } from '../../kubernetes.ts';
import { nameInText } from '../../printable.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { Contested, Repair } from '../observed/recorded-status.ts';
import { type Cause, isAbout, isDeletion, lastOf } from './cause.ts';
import type { Difference } from './differences.ts';

/** A write that may undo another writer's change, to be checked for a fight. */
export interface Attempt {
  readonly verb: 'create' | 'update' | 'consolidate' | 'delete';
  readonly child: ObjectRef;
  readonly observed: ObservedChild | undefined;
  readonly differences: readonly Difference[];
}

/** Why a write is left to the next resync. */
export interface Fight {
  readonly reason: typeof contested;
  readonly message: string;
  /** Who deletes the child. */
  readonly deleter?: string;
}

export type FightDetector = (attempt: Attempt) => Fight | undefined;

/** The records of earlier runs about a child. */
export interface ChildHistory {
  readonly repairs: readonly Repair[];
  /** Set if the child was left to the next resync. */
  readonly contested?: Contested | undefined;
}

/** The earlier writes that a run knows of. */
export interface RecentWrites {
  /** RFC 3339, by the clock of the function. */
  readonly now: string;
  /** By `keyOf` of the child. */
  readonly history: ReadonlyMap<string, ChildHistory>;
  /** True if the run serves a request message, which may be delivered twice. */
  readonly fromRequestMessage: boolean;
  readonly namespace: string;
  readonly causes: readonly Cause[];
}

const windowMs = 30_000;
/** Clocks differ, and managedFields have whole seconds. */
const leewayMs = 5_000;

const contested = 'Contested';

/** Reports whether a condition's reason means that a write is left to the next resync. */
export const isDeferredToResync = (reason: string): boolean => reason === contested;

/**
 * Detects writes that another writer undoes within 30 s each time.
 *
 * Flow: a field or child is contested if the status records its repair less than 30 s before it was changed or deleted
 * again. A deletion is contested if an unwanted object that we never wrote has just appeared.
 * Guarantees: a write is withheld only if everything that it would repair is contested. After 30 s, a request message
 * performs writes that the status left to a resync. A time of the API server is compared only with another one.
 */
export function fightDetector(given: RecentWrites): FightDetector {
  const { now, fromRequestMessage } = given;
  return (attempt) => {
    const { verb, child, observed } = attempt;
    const { repairs, contested: left } = given.history.get(keyOf(child)) ?? { repairs: [] };
    if (fromRequestMessage && left !== undefined && !isWithin(left.since, now)) return undefined;
    // Two request messages further apart belong to different resyncs.
    const recent = fromRequestMessage ? repairs.filter(({ at }) => isWithin(at, now)) : repairs;
    if (verb === 'create') return deletedAgain(child, given, { repairs: recent, contested: left });
    if (observed === undefined) return undefined;
    if (verb === 'update') return changedAgain(attempt, { repairs: recent, now });
    if (verb === 'delete') return createdByOthers(observed, given);
    return fromRequestMessage ? undefined : consolidatedAtResyncs(child);
  };
}

function deletedAgain(
  child: ObjectRef,
  { now, causes, namespace }: RecentWrites,
  { repairs, contested: left }: ChildHistory,
): Fight | undefined {
  const cause = lastOf(causes.filter((one) => isAbout(one, child, namespace) && isDeletion(one)));
  const isAgain = repairs.some(
    (one) => one.fields === undefined && isSoonAfter(one, { changed: cause?.time, now }),
  );
  if (!isAgain) return undefined;
  const deleter = left?.by ?? (cause && nameInText(cause.user));
  const by = deleter === undefined ? '' : ` by ${deleter}`;
  const message = `${titleOf(child)} is deleted again and again${by}; created only by the scheduled resync`;
  return { reason: contested, message, ...present({ deleter }) };
}

function changedAgain(
  { child, differences }: Attempt,
  { repairs, now }: Pick<RecentWrites, 'now'> & ChildHistory,
): Fight | undefined {
  const isAgain = ({ path, writer }: Difference): boolean =>
    repairs.some((one) => isNamedBy(one, path) && isSoonAfter(one, { changed: writer?.time, now }));
  const isFought = differences.every((one) => isChangedByOthers(one) && isAgain(one));
  if (differences.length === 0 || !isFought) return undefined;
  const what = differences.map(
    ({ path, writer }) =>
      `${path} is set again and again by ${writer === undefined ? 'another writer' : nameInText(writer.manager)}`,
  );
  const message = `${titleOf(child)}: ${what.join('; ')}; repaired only by the scheduled resync`;
  return { reason: contested, message };
}

/** Reports whether a repair wrote this path, or a field that contains it. */
const isNamedBy = ({ fields = [] }: Repair, path: string): boolean =>
  fields.some(
    (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
  );

/** Reports whether a change, or this run if its time is unknown, came less than 30 s after the repair. */
const isSoonAfter = (
  { at, written }: Repair,
  { changed, now }: { readonly changed: string | undefined; readonly now: string },
): boolean =>
  written === undefined || changed === undefined ? isWithin(at, now) : isWithin(written, changed);

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

/**
 * Detects an unwanted child that we never wrote, so that another manager may create it again. A request message leaves
 * it alone only while it is new.
 */
function createdByOthers(
  child: ObservedChild,
  { now, fromRequestMessage }: RecentWrites,
): Fight | undefined {
  const { ours, others } = child;
  if (ours !== undefined || others.length === 0) return undefined;
  const isNew = others.every(({ time }) => time !== undefined && isWithin(time, now));
  if (fromRequestMessage && !isNew) return undefined;
  const managers = [...new Set(others.map(({ manager }) => nameInText(manager)))].join(', ');
  const message = `${titleOf(child)} is not wanted and was created by ${managers}; only the scheduled resync deletes it`;
  return { reason: contested, message };
}

const consolidatedAtResyncs = (child: ObjectRef): Fight => ({
  reason: contested,
  message: `managedFields of ${titleOf(child)} are consolidated only by the scheduled resync`,
});

/** Reports whether a time is less than 30 s ago. Ignores times in the future, which anyone may write. */
function isWithin(time: string, now: string): boolean {
  const age = Date.parse(now) - Date.parse(time);
  return age < windowMs && age > -leewayMs;
}
