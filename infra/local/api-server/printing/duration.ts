const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Formats a duration as kubectl shows an age: in at most two units, fewer for longer durations. */
export function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * minute) return `${Math.floor(seconds)}s`;
  if (seconds < 10 * minute) return two(seconds, [minute, 'm'], [1, 's']);
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return two(seconds, [hour, 'h'], [minute, 'm']);
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return two(seconds, [day, 'd'], [hour, 'h']);
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * year) return two(seconds, [year, 'y'], [day, 'd']);
  return `${Math.floor(seconds / year)}y`;
}

type Unit = readonly [size: number, sign: string];

function two(seconds: number, [large, sign]: Unit, [small, smallSign]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  const whole = `${Math.floor(seconds / large)}${sign}`;
  return rest === 0 ? whole : `${whole}${rest}${smallSign}`;
}

/** How long ago `time` was. */
export function ageOf(time: unknown, now: Date): string {
  if (typeof time !== 'string' || time === '') return '<unknown>';
  const then = Date.parse(time);
  return Number.isNaN(then) ? '<invalid>' : humanDuration((now.getTime() - then) / 1000);
}
