import { UsageError } from '../errors.ts';

/** The time between two ticks. */
export interface Interval {
  /** As it was given: `5m` */
  readonly text: string;
  readonly ms: number;
}

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `90s`, `5m` or `2h`. */
export function parseInterval(text: string): Interval {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  if (count === '')
    throw new UsageError(
      `--interval: "${text}" is no time between ticks; write it as 90s, 5m or 2h`,
    );
  return { text, ms: Number(count) * units[unit as keyof typeof units] };
}
