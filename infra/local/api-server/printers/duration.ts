const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A duration as kubectl shows an age: two units at most, fewer the longer it is. */
export const humanDuration = (seconds: number): string => {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${Math.floor(seconds)}s`;
  if (seconds < 10 * MINUTE) return two(seconds, [MINUTE, 'm'], [1, 's']);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return two(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return two(seconds, [DAY, 'd'], [HOUR, 'h']);
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return two(seconds, [YEAR, 'y'], [DAY, 'd']);
  return `${Math.floor(seconds / YEAR)}y`;
};

type Unit = readonly [size: number, sign: string];

const two = (seconds: number, [large, sign]: Unit, [small, smallSign]: Unit): string => {
  const rest = Math.floor((seconds % large) / small);
  const whole = `${Math.floor(seconds / large)}${sign}`;
  return rest === 0 ? whole : `${whole}${rest}${smallSign}`;
};

/** How long ago `time` was. */
export const ageOf = (time: unknown, now: Date): string => {
  if (typeof time !== 'string' || time === '') return '<unknown>';
  const then = Date.parse(time);
  return Number.isNaN(then) ? '<invalid>' : humanDuration((now.getTime() - then) / 1000);
};
