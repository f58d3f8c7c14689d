import type { Difference } from './drift.ts';
import type { ObservedChild } from './observed.ts';

const windowMs = 30_000;

/** Somebody set or removed the field; where we still hold the live value, only our wish has changed. */
export const isTaken = ({ from, writer }: Difference): boolean =>
  writer !== undefined || from === undefined;

/**
 * Somebody took fields of the child less than 30 s after we last changed ours: it may be a fight.
 * Whether this very path was repaired, only our Events tell.
 */
export function maybeContested(
  child: ObservedChild,
  differences: readonly Difference[],
  now: string,
): boolean {
  const ourTime = child.ours?.time;
  const taken = differences.filter(isTaken);
  if (ourTime === undefined || taken.length === 0) return false;
  const times = taken.flatMap(({ writer }) => writer?.time ?? []).toSorted();
  return Date.parse(times.at(-1) ?? now) - Date.parse(ourTime) < windowMs;
}

/** Whether a repair told of at `time` is recent enough to make the next one a fight. */
export const isRecent = (time: string, now: string): boolean =>
  Date.parse(now) - Date.parse(time) < windowMs;
