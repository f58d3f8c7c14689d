import { intervalForms, intervalMs } from '../../interval.ts';
import { isOfNpmStart } from './choose-context.ts';
import { UsageError } from './command-errors.ts';
import type { Session } from './session.ts';

export interface Interval {
  /** The interval as the user wrote it, always with a unit: `5m` */
  readonly text: string;
  readonly ms: number;
  /** A note to print if the interval is not from --interval: `context prod of the kubeconfig` */
  readonly from?: string;
}

/** Returns --interval, else INTERVAL of the context, else 10 minutes (10 seconds on the cluster of npm start). */
export function intervalFor(
  { context, terminal }: Pick<Session, 'context' | 'terminal'>,
  given: string | undefined,
): Interval {
  if (given !== undefined) return parseInterval(given);
  const configured = context?.settings.INTERVAL;
  if (configured !== undefined) {
    const from = `context ${context?.name} of the kubeconfig`;
    return { ...parseInterval(configured, `INTERVAL of ${from}`), from };
  }
  const isLocal = context !== undefined && isOfNpmStart(context, terminal);
  return { ...parseInterval(isLocal ? '10s' : '10m'), from: 'unless --interval says otherwise' };
}

/** Parses `90s`, `5m`, `2h` or a number of seconds. An error names `name`, the option or setting. */
export function parseInterval(text: string, name = '--interval'): Interval {
  const ms = intervalMs(text);
  if (ms === undefined)
    throw new UsageError(`${name}: "${text}" is not an interval; ${intervalForms}`);
  return { text: /\d$/.test(text) ? `${text}s` : text, ms };
}
