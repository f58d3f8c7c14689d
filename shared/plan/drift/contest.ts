import { isWithin } from '../../kinds/impact.ts';
import { keyOf, type ObjectRef, titleOf } from '../../kubernetes.ts';
import { nameInText } from '../../printable.ts';
import type { Repair } from '../observed/applied.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { World } from '../observed/world.ts';
import { type Cause, isAbout, isDeletion, lastOf } from './cause.ts';
import type { Difference } from './differences.ts';

/** A write that might only undo another writer's change. */
export interface Attempt {
  readonly verb: 'create' | 'update' | 'consolidate' | 'delete';
  readonly child: ObjectRef;
  readonly observed: ObservedChild | undefined;
  readonly differences: readonly Difference[];
}

/** Returns why a write may be part of a fight, and is left to the next resync; undefined if it can be made now. */
export type FightDetector = (attempt: Attempt) => string | undefined;

export interface ContestedWorld extends World {
  /** Undefined if contested writes are made anyway, as in a resync or the first run of a new generation. */
  readonly detectFight?: FightDetector | undefined;
}

export interface RecentWrites {
  /** The present time by the function's clock (RFC 3339). */
  readonly now: string;
  /** The recorded repairs, by the child's `keyOf`. */
  readonly repairs: ReadonlyMap<string, readonly Repair[]>;
  /** True if a request message started the run. Such a message may be delivered twice. */
  readonly fromRequestMessage: boolean;
  readonly namespace: string;
  readonly causes: readonly Cause[];
}

const windowMs = 30_000;
/** Tolerance for times: clocks differ, and managedFields have whole seconds. */
const leewayMs = 5_000;

/**
 * Detects a fight: another writer undoes each of our writes within 30 s.
 *
 * Flow: a field or child is contested if another writer changed or deleted it less than 30 s after a repair that the
 * status records. Our deletion of an unwanted object is contested if other writers created the object. A run for a
 * request message may be part of a resync, which may repair everything once. So such a run makes even contested
 * deletions, and ignores repairs made more than 30 s ago.
 *
 * Guarantees: leaves a write to the next resync only if everything that the write would repair is contested. Compares a
 * time of the API server's clock with a time of the function's clock only for deletions.
 */
export function fightDetector(given: RecentWrites): FightDetector {
  const { now, fromRequestMessage } = given;
  return (attempt) => {
    const { verb, child, observed } = attempt;
    const all = given.repairs.get(keyOf(child)) ?? [];
    const repairs = fromRequestMessage ? all.filter(({ at }) => isRecent(at, now)) : all;
    if (verb === 'create') return deletedAgain(child, given, repairs);
    if (observed === undefined) return undefined;
    if (verb === 'update') return changedAgain(attempt, repairs, now);
    if (fromRequestMessage) return undefined;
    if (verb === 'delete') return createdByOthers(observed);
    return `managedFields of ${titleOf(child)} are consolidated only by the scheduled resync`;
  };
}

function deletedAgain(
  child: ObjectRef,
  { now, causes, namespace }: RecentWrites,
  repairs: readonly Repair[],
): string | undefined {
  const cause = lastOf(causes.filter((one) => isAbout(one, child, namespace) && isDeletion(one)));
  const recreations = repairs.filter(({ fields }) => fields === undefined);
  if (!recreations.some((one) => isSoonAfter(one, cause?.time, now))) return undefined;
  // Names no user: only some runs know the cause, so the message, and the status with it, would change from run to run.
  return `${titleOf(child)} is deleted again and again; only the scheduled resync creates it again`;
}

function changedAgain(
  { child, differences }: Attempt,
  repairs: readonly Repair[],
  now: string,
): string | undefined {
  const isAgain = ({ path, writer }: Difference): boolean =>
    repairs
      .filter(({ fields }) => fields?.some((field) => isWithin(path, field)))
      .some((one) => isSoonAfter(one, writer?.time, now));
  const isContested = differences.every((one) => isChangedByOthers(one) && isAgain(one));
  if (differences.length === 0 || !isContested) return undefined;
  const what = differences.map(({ path, writer }) => {
    const by = writer === undefined ? 'another writer' : nameInText(writer.manager);
    return `${path} is set again and again by ${by}`;
  });
  return `${titleOf(child)}: ${what.join('; ')}; only the scheduled resync repairs it`;
}

/** Assumes that the change was made just now if either time is unknown. */
const isSoonAfter = ({ at, written }: Repair, changed: string | undefined, now: string): boolean =>
  written === undefined || changed === undefined ? isRecent(at, now) : isRecent(written, changed);

/** Reports whether another writer set the field, or may have removed it. Otherwise its desired value has changed. */
export const isChangedByOthers = ({ from, writer }: Difference): boolean =>
  writer !== undefined || from === undefined;

function createdByOthers(child: ObservedChild): string | undefined {
  const { ours, others } = child;
  if (ours !== undefined || others.length === 0) return undefined;
  const managers = [...new Set(others.map(({ manager }) => nameInText(manager)))].join(', ');
  return `${titleOf(child)} is not desired and was created by ${managers}; only the scheduled resync deletes it`;
}

/** Returns false for a time more than 5 s in the future, because anyone can write such a time. */
function isRecent(time: string, now: string): boolean {
  const age = Date.parse(now) - Date.parse(time);
  return age < windowMs && age > -leewayMs;
}
