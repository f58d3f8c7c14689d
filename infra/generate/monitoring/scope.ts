import { podNames } from '../pod.ts';

export interface Monitored {
  readonly name: string;
  readonly namespace: string;
  /** The time between two resyncs, in seconds. */
  readonly interval: number;
  /** An alert fires after this many hours in which no audit event has started a run; 0 turns the alert off. */
  readonly quietHours: number;
  /** The address of a document with a heading for each alert. */
  readonly runbook: string;
}

/** Matches the job label, which Prometheus derives from the PodMonitor's namespace and name. */
export const jobOf = (to: Pick<Monitored, 'name' | 'namespace'>): string =>
  `job="${to.namespace}/${podNames(to).account}"`;

/** Formats a duration as Prometheus does: `90s`, `15m`, `6h`, `3d`. */
export function duration(seconds: number): string {
  const units = { d: 86_400, h: 3_600, m: 60 };
  for (const [unit, size] of Object.entries(units))
    if (seconds % size === 0) return `${seconds / size}${unit}`;
  return `${seconds}s`;
}
