import { ingress } from '../kinds/child-types.ts';
import type { ObjectRef } from '../kubernetes.ts';
import type { Cause } from './attribution.ts';
import { type Difference, isOwnershipOnly } from './drift.ts';
import type { ObservedChild } from './observed.ts';

/** A write that nobody asked for by an edit of the resource. */
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

export type Contested = (attempt: Attempt) => Fight | undefined;

/** What a run knows of the writes before it. */
export interface Memory {
  readonly now: string;
  readonly repairs: readonly Repair[];
  /** The message of the resource's condition Reconciling. */
  readonly said: string;
  readonly namespace: string;
  readonly causes: readonly Cause[];
}

/** One of our Events `Repaired`. */
export interface Repair {
  readonly message: string;
  readonly time: string;
}

const windowMs = 30_000;
/** Clocks differ, and managedFields count whole seconds. */
const leewayMs = 5_000;

export const rewrittenOnAdmission = 'RewrittenOnAdmission';

/** Beginning of the Event of a child that was created again, after its kind and name. */
export const createdAgain = 'was gone, created again';

/** Whether a reason says that the next tick will do it. */
export const isLeftToTick = (reason: string): boolean =>
  reason === 'Contested' || reason === rewrittenOnAdmission;

/** Whether only our own Events tell if an attempt is a fight. */
export const mayBeFought = ({ verb, observed, differences }: Attempt, now: string): boolean =>
  verb === 'create' ||
  (verb === 'update' && observed !== undefined && maybeContested(observed, differences, now));

/**
 * Whether a write would feed a fight: it is undone within 30 s each time.
 *
 * Flow: a field, or a child, is fought over where an Event says that it was repaired less than 30 s
 * before it was changed, or deleted, again; a child is rewritten on admission where our own entry
 * holds another value; a deletion is undone where an object that we never wrote has just appeared.
 * Guarantees: a write is left alone only if all that it would repair is fought over.
 */
export function fightOver(memory: Memory): Contested {
  return (attempt) => {
    const { verb, child, observed } = attempt;
    if (verb === 'create') return deletedAgain(child, memory);
    if (observed === undefined) return undefined;
    if (verb === 'update') return changedAgain(attempt, observed, memory);
    return verb === 'delete' ? createdByOthers(observed, memory.now) : tidying(child);
  };
}

function deletedAgain(child: ObjectRef, memory: Memory): Fight | undefined {
  const { kind, name } = child;
  const cause = memory.causes
    .filter((one) => one.kind === kind && one.name === name && one.namespace === memory.namespace)
    .findLast(({ verb }) => verb.startsWith('delete'));
  const isAgain = repairsOf(child, memory, cause?.time ?? memory.now).some((text) =>
    text.startsWith(createdAgain),
  );
  if (!isAgain) return undefined;
  const begin = `${kind} ${name} is deleted again and again`;
  const known = memory.said.split('; ').find((text) => text.startsWith(`${begin} by `));
  const by = cause === undefined ? begin : `${begin} by ${cause.user}`;
  return { reason: 'Contested', message: `${known ?? by}; created at ticks only` };
}

function changedAgain(
  { child, differences }: Attempt,
  observed: ObservedChild,
  memory: Memory,
): Fight | undefined {
  const isNamed = ({ path, writer }: Difference): boolean =>
    repairsOf(child, memory, writer?.time ?? memory.now).some(
      (text) => text.includes(`${path} `) || text.endsWith('…'),
    );
  const taken = maybeContested(observed, differences, memory.now)
    ? differences.filter((one) => isTaken(one) && isNamed(one))
    : [];
  const rewritten = differences.filter((one) => isRewritten(one, observed, memory));
  if (taken.length + rewritten.length < differences.length) return undefined;
  if (taken.length === 0) return rewriting(child, rewritten);
  const what = taken.map(
    ({ path, writer }) =>
      `${path} is set again and again by ${writer?.manager ?? 'another writer'}`,
  );
  const message = `${child.kind} ${child.name}: ${what.join('; ')}; repaired at ticks only`;
  return { reason: 'Contested', message };
}

/** Somebody set or removed the field; where we still hold the live value, only our wish has changed. */
export const isTaken = ({ from, writer }: Difference): boolean =>
  writer !== undefined || from === undefined;

/** Somebody took fields of the child less than 30 s after we last changed ours, as far as is known. */
export function maybeContested(
  child: ObservedChild,
  differences: readonly Difference[],
  now: string,
): boolean {
  const taken = differences.filter(isTaken);
  if (taken.length === 0) return false;
  const ourTime = child.ours?.time;
  const times = taken.flatMap(({ writer }) => writer?.time ?? []).toSorted();
  return ourTime === undefined || isWithin(ourTime, times.at(-1) ?? now);
}

/**
 * We hold a value that we do not want: our write came back so, as its condition says, or is so young
 * that it must have. Who is let in is judged by the condition alone: others may write in our name.
 */
function isRewritten(
  one: Difference,
  { kind, name, ours }: ObservedChild,
  memory: Memory,
): boolean {
  if (isTaken(one) || isOwnershipOnly(one)) return false;
  const isSaid = memory.said
    .split('; ')
    .some((text) => text.startsWith(`${kind} ${name}: ${onAdmission}`) && names(text, one.path));
  const isYoung = ours?.time !== undefined && isWithin(ours.time, memory.now);
  return isSaid || (isYoung && kind !== ingress.kind);
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

/** An unwanted child that we never wrote, as young as it is: deleted, and created again by others. */
function createdByOthers({ kind, name, ours, others }: ObservedChild, now: string) {
  const isYoung = others.every(({ time }) => time !== undefined && isWithin(time, now));
  if (ours !== undefined || others.length === 0 || !isYoung) return undefined;
  const managers = [...new Set(others.map(({ manager }) => manager))].join(', ');
  const message = `${kind} ${name} is not wanted and was created by ${managers}; deleted at ticks only`;
  return { reason: 'Contested', message } as const;
}

const tidying = ({ kind, name }: ObjectRef): Fight => ({
  reason: 'Contested',
  message: `managedFields of ${kind} ${name} are tidied at ticks only`,
});

/** What our Events say of repairs of a child less than 30 s before a time. */
const repairsOf = (
  { kind, name }: ObjectRef,
  { repairs }: Memory,
  before: string,
): readonly string[] =>
  repairs
    .filter(
      ({ message, time }) => message.startsWith(`${kind} ${name}: `) && isWithin(time, before),
    )
    .map(({ message }) => message.slice(`${kind} ${name}: `.length));

/** A time that is yet to come says nothing: others write managedFields and Events, too. */
function isWithin(time: string, now: string): boolean {
  const age = Date.parse(now) - Date.parse(time);
  return age < windowMs && age > -leewayMs;
}
