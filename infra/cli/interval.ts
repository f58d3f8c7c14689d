import { UsageError } from './errors.ts';
import type { ChosenContext } from './kubeconfig.ts';

/** The time between two ticks. */
export interface Interval {
  /** As it was given: `5m` */
  readonly text: string;
  readonly ms: number;
  /** Where it was taken from, if it was not given. */
  readonly from?: string;
}

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

interface Sources {
  readonly given: string | undefined;
  readonly context: ChosenContext | undefined;
  /** Of the cluster that npm start makes. */
  readonly isLocal: boolean;
}

/** The interval given, else the one that the context contains, else the default. */
export function intervalFor({ given, context, isLocal }: Sources): Interval {
  if (given !== undefined) return parseInterval(given);
  const configured = context?.settings.INTERVAL;
  if (configured !== undefined) {
    const from = `context ${context?.name} of the kubeconfig`;
    return { ...parseInterval(configured, `INTERVAL of ${from}`), from };
  }
  return { ...parseInterval(isLocal ? '10s' : '10m'), from: 'unless --interval says otherwise' };
}

/** `90s`, `5m` or `2h`. */
export function parseInterval(text: string, name = '--interval'): Interval {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  if (count === '')
    throw new UsageError(`${name}: "${text}" is not an interval; write it as 90s, 5m or 2h`);
  return { text, ms: Number(count) * units[unit as keyof typeof units] };
}
