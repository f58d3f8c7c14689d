import type { Difference } from './drift.ts';
import type { ObservedChild } from './observed.ts';

const windowMs = 30_000;

/**
 * Somebody changed fields of the child less than 30 s after we last did, and not just after we
 * created it: it may be a fight. Whether this very path was repaired, only our Events tell.
 */
export function maybeContested(
  child: ObservedChild,
  differences: readonly Difference[],
  now: string,
): boolean {
  const ourTime = child.ours?.time;
  if (ourTime === undefined || ourTime <= child.createdAt) return false;
  const taken =
    differences
      .flatMap(({ writer }) => writer?.time ?? [])
      .toSorted()
      .at(-1) ?? now;
  return differences.length > 0 && Date.parse(taken) - Date.parse(ourTime) < windowMs;
}

/** Whether a repair told of at `time` is recent enough to make the next one a fight. */
export const isRecent = (time: string, now: string): boolean =>
  Date.parse(now) - Date.parse(time) < windowMs;
