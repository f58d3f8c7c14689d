import { durationProblem } from '../../go/duration.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Numbers by name. */
  readonly names?: Readonly<Record<string, number>>;
}

function named(text: string, from: number): Readonly<Record<string, number>> {
  return Object.fromEntries(text.split(' ').map((name, index) => [name, index + from]));
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: named('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { min: 0, max: 6, names: named('sun mon tue wed thu fri sat', 0) },
];

const descriptors = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
];
const every = '@every ';

/** Returns the server's error for an invalid cron schedule; undefined for a valid schedule. */
export function scheduleProblem(schedule: string): string | undefined {
  const [prefix = '', , zone = ''] = /^(CRON_)?TZ=([^ ]*) */.exec(schedule) ?? [];
  if (prefix !== '' && !isKnownZone(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  const text = schedule.slice(prefix.length).trimEnd();
  if (text.startsWith('@')) return descriptorProblem(text);
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length !== fields.length) {
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  return firstProblem(fields, (bounds, index) =>
    firstProblem((parts[index] ?? '').split(',').filter(Boolean), (range) =>
      rangeProblem(range, bounds),
    ),
  );
}

/** Reports whether a time zone exists in exactly this spelling. */
export function isKnownZone(zone: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    return timeZone === zone || timeZone.toLowerCase() !== zone.toLowerCase();
  } catch {
    return false;
  }
}

function firstProblem<T>(
  list: readonly T[],
  problemOf: (one: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, one] of list.entries()) {
    const problem = problemOf(one, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (descriptors.includes(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const problem = durationProblem(text.slice(every.length));
  return problem && `failed to parse duration ${text}: ${problem}`;
}

/** A number, a range or `*`, with a step or without. */
function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [lowText = '', highText, ...moreNumbers] = range.split('-');
  const isAll = lowText === '*' || lowText === '?';
  const low = isAll ? bounds.min : numberOf(lowText, bounds);
  if (typeof low === 'string') return low;
  if (!isAll && moreNumbers.length > 0) return `too many hyphens: ${text}`;
  const ownHigh = isAll ? bounds.max : highText === undefined ? low : numberOf(highText, bounds);
  if (typeof ownHigh === 'string') return ownHigh;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const step = stepText === undefined ? 1 : numberOf(stepText);
  if (typeof step === 'string') return step;
  const high = stepText !== undefined && highText === undefined ? bounds.max : ownHigh;
  const { min, max } = bounds;
  if (low < min) return `beginning of range (${low}) below minimum (${min}): ${text}`;
  if (high > max) return `end of range (${high}) above maximum (${max}): ${text}`;
  if (low > high) return `beginning of range (${low}) beyond end of range (${high}): ${text}`;
  return step === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** Parses a number or a name; returns the error if it is neither. */
function numberOf(text: string, { names = {} }: Partial<Bounds> = {}): number | string {
  const name = text.toLowerCase();
  if (Object.hasOwn(names, name)) return names[name] ?? 0;
  if (!/^[-+]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const value = Number(text);
  if (Math.abs(value) >= 2 ** 63) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`;
  }
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
