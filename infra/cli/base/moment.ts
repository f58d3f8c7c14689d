import { UsageError } from './command-errors.ts';

/**
 * Returns the last millisecond of a time, since the epoch: the end of the minute for `03:12` or
 * `2026-11-23T03:12`, and of the second for `03:12:04`. Without a date, chooses the last such time before now;
 * without a zone, UTC.
 */
export function momentOf(text: string, now: Date): number {
  const [, date, time = '', seconds, zone = 'Z'] =
    /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const today = now.toISOString().slice(0, 10);
  const start = Date.parse(`${date ?? today}T${time}${seconds ?? ':00'}${zone}`);
  if (Number.isNaN(start))
    throw new UsageError(
      `--at: "${text}" is not a time; write it as 03:12 or 2026-11-23T03:12:04Z, in UTC unless it ends with a zone such as +01:00`,
    );
  const length = seconds === undefined ? 60_000 : seconds.includes('.') ? 1 : 1_000;
  const isFuture = date === undefined && start > now.getTime();
  return start + length - 1 - (isFuture ? 24 * 3_600_000 : 0);
}
