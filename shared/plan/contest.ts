import { typeOf } from '../kinds/child-types.ts';
import type { ObjectRef } from '../kubernetes.ts';
import type { Cause } from './cause.ts';
import { type Difference, isOwnershipOnly } from './drift.ts';
import type { ObservedChild } from './observed.ts';

/** A write that no edit of the resource asked for. */
export interface Attempt {
  readonly verb: 'create' | 'update' | 'consolidate' | 'delete';
  readonly child: ObjectRef;
  readonly observed: ObservedChild | undefined;
  readonly differences: readonly Difference[];
}

/** Why a write is left to the next tick. */
export interface Fight {
  readonly reason: 'Contested' | typeof rewrittenOnAdmission;
  readonly message: string;
}

export type FightDetector = (attempt: Attempt) => Fight | undefined;

/** What a run knows about earlier writes. */
export interface RecentWrites {
  readonly now: string;
  readonly repairs: readonly Repair[];
  /** The resource's conditions for this generation. */
  readonly readyMessage: string;
  /** The generation is not acted on yet: what we hold and do not want may be what the previous one wanted. */
  readonly edited: boolean;
  /** A part of a tick: it repairs nothing that was repaired less than 30 s ago. */
  readonly part: boolean;
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

export const rewrittenOnAdmission = 'RewrittenOnAdmission';

/** Beginning of the Event of a child that was created again, after its kind and name. */
export const createdAgain = 'was gone, created again';

/** Whether a reason says that the write is left to the next tick. */
export const isDeferredToTick = (reason: string): boolean =>
  reason === 'Contested' || reason === rewrittenOnAdmission;

/** Whether only our own Events show if an attempt is a fight. */
export const needsRepairEvents = ({ verb, observed, differences }: Attempt, now: string): boolean =>
  verb === 'create' ||
  (verb === 'update' && observed !== undefined && maybeContested(observed, differences, now));

/**
 * Whether a write would feed a fight: it is undone within 30 s each time.
 *
 * Flow: a field, or a child, is fought over where an Event says that it was repaired less than 30 s
 * before it was changed, or deleted, again; a child is rewritten on admission where our own entry
 * holds another value; a deletion is undone where an object that we never wrote has just appeared.
 * Guarantees: a write is withheld only if everything that it would repair is fought over.
 */
export function fightDetector(given: RecentWrites): FightDetector {
  const recent = given.part ? withinWindow(given) : given;
  return (attempt) => {
    const { verb, child, observed } = attempt;
    if (verb === 'create') return deletedAgain(child, recent);
    if (observed === undefined) return undefined;
    if (verb === 'update') return changedAgain(attempt, observed, recent);
    if (verb === 'delete') return createdByOthers(observed, recent.now);
    return recent.part ? undefined : consolidatedAtTicks(child);
  };
}

/** What was done less than 30 s ago; a tick half a minute later need not know of the one before. */
const withinWindow = (recent: RecentWrites): RecentWrites => ({
  ...recent,
  repairs: recent.repairs.filter(({ time }) => isWithin(time, recent.now)),
  readyMessage: '',
});

function deletedAgain(child: ObjectRef, recent: RecentWrites): Fight | undefined {
  const { kind, name } = child;
  const cause = recent.causes
    .filter((one) => one.kind === kind && one.name === name && one.namespace === recent.namespace)
    .findLast(({ verb }) => verb.startsWith('delete'));
  const isAgain = repairsOf(child, recent, cause?.time ?? recent.now).some((text) =>
    text.startsWith(createdAgain),
  );
  if (!isAgain) return undefined;
  const begin = `${kind} ${name} is deleted again and again`;
  const known = recent.readyMessage.split('; ').find((text) => text.startsWith(`${begin} by `));
  const by = cause === undefined ? begin : `${begin} by ${cause.user}`;
  return { reason: 'Contested', message: `${known ?? by}; created at ticks only` };
}

function changedAgain(
  { child, differences }: Attempt,
  observed: ObservedChild,
  recent: RecentWrites,
): Fight | undefined {
  const isNamed = ({ path, writer }: Difference): boolean =>
    repairsOf(child, recent, writer?.time ?? recent.now).some(
      (text) => text.includes(`${path} `) || text.endsWith('…'),
    );
  const taken = maybeContested(observed, differences, recent.now)
    ? differences.filter((one) => isChangedByOthers(one) && isNamed(one))
    : [];
  const rewritten = differences.filter((one) => isRewritten(one, observed, recent));
  if (taken.length + rewritten.length < differences.length) return undefined;
  if (taken.length === 0) return rewriting(child, rewritten);
  const what = taken.map(
    ({ path, writer }) =>
      `${path} is set again and again by ${writer?.manager ?? 'another writer'}`,
  );
  const message = `${child.kind} ${child.name}: ${what.join('; ')}; repaired at ticks only`;
  return { reason: 'Contested', message };
}

/** Whether a write undid a change to a child, and brought nothing new. */
export const isRepair = ({
  differences = [],
  lost,
}: {
  readonly differences?: readonly Difference[];
  readonly lost?: boolean;
}): boolean => lost === true || (differences.length > 0 && differences.every(isChangedByOthers));

/** Somebody set or removed the field; where we still hold the live value, only the wanted value has changed. */
export const isChangedByOthers = ({ from, writer }: Difference): boolean =>
  writer !== undefined || from === undefined;

/** Somebody took fields of the child less than 30 s after our last change of it, as far as is known. */
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

/**
 * We hold a value that we do not want: our write was stored so, as its condition says, or is so recent
 * that it must have been. Access is decided by the condition alone: others may write under our manager's name.
 */
function isRewritten(one: Difference, child: ObservedChild, recent: RecentWrites): boolean {
  const { kind, name, ours } = child;
  if (isChangedByOthers(one) || isOwnershipOnly(one)) return false;
  const isRecorded = recent.readyMessage
    .split('; ')
    .some((text) => text.startsWith(`${kind} ${name}: ${onAdmission}`) && names(text, one.path));
  const isYoung = ours?.time !== undefined && isWithin(ours.time, recent.now);
  return isRecorded || (isYoung && !recent.edited && typeOf(child)?.exposure === undefined);
}

const onAdmission = 'rewritten on admission: ';

const names = (text: string, path: string): boolean =>
  text
    .slice(text.indexOf(onAdmission) + onAdmission.length)
    .split(', ')
    .includes(path);

/** What the condition says of a child that the server stores otherwise than we applied it. */
export const rewriting = (
  { kind, name }: ObjectRef,
  differences: readonly Pick<Difference, 'path'>[],
): Fight => ({
  reason: rewrittenOnAdmission,
  message: `${kind} ${name}: ${onAdmission}${differences.map(({ path }) => path).join(', ')}; applied again at ticks only`,
});

/** An unwanted child that we never wrote and that has just appeared: deleted, and created again by others. */
function createdByOthers({ kind, name, ours, others }: ObservedChild, now: string) {
  const isYoung = others.every(({ time }) => time !== undefined && isWithin(time, now));
  if (ours !== undefined || others.length === 0 || !isYoung) return undefined;
  const managers = [...new Set(others.map(({ manager }) => manager))].join(', ');
  const message = `${kind} ${name} is not wanted and was created by ${managers}; deleted at ticks only`;
  return { reason: 'Contested', message } as const;
}

const consolidatedAtTicks = ({ kind, name }: ObjectRef): Fight => ({
  reason: 'Contested',
  message: `managedFields of ${kind} ${name} are tidied at ticks only`,
});

/** Repairs of a child less than 30 s before a time, according to our Events. */
const repairsOf = (
  { kind, name }: ObjectRef,
  { repairs }: RecentWrites,
  before: string,
): readonly string[] =>
  repairs
    .filter(
      ({ message, time }) => message.startsWith(`${kind} ${name}: `) && isWithin(time, before),
    )
    .map(({ message }) => message.slice(`${kind} ${name}: `.length));

/** A time in the future is ignored: others write managedFields and Events, too. */
function isWithin(time: string, now: string): boolean {
  const age = Date.parse(now) - Date.parse(time);
  return age < windowMs && age > -leewayMs;
}
