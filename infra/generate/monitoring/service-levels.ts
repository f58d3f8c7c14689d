import { duration, jobOf, type Monitored } from './scope.ts';

interface ServiceLevel {
  readonly alert: string;
  /** The name of the recording rule for the share of bad events. */
  readonly record: string;
  /** The counter of events. The label selector `of` selects all events of this level, and `bad` the bad events. */
  readonly counter: string;
  readonly of: string;
  readonly bad: string;
  readonly by: readonly string[];
  readonly objective: number;
  /** The minimum number of bad events in the long window; with fewer, no alert fires. */
  readonly least: number;
  /** Alerts fire only if this counter has increased in the long window. */
  readonly needs?: string;
  readonly summary: string;
}

const levels: readonly ServiceLevel[] = [
  {
    alert: 'ResyncsNotWhole',
    record: 'reconciler:resyncs_not_whole',
    counter: 'reconciler_runs_total',
    of: 'trigger="resync"',
    bad: 'outcome!="whole"',
    by: ['job', 'cluster'],
    objective: 0.99,
    least: 2,
    summary: 'Too many resyncs fail, or leave kinds unread or resources unreconciled.',
  },
  {
    alert: 'RepairsLate',
    record: 'reconciler:repairs_late',
    counter: 'reconciler_child_drifted_total',
    of: '',
    bad: 'repaired="later"',
    by: ['job'],
    objective: 0.95,
    least: 3,
    needs: 'reconciler_event_age_seconds_count',
    summary: 'Too many edits by others take more than a minute to repair.',
  },
];

/**
 * Burn rates. An alert fires if the error budget of 30 days is spent more than `rate` times as fast as allowed, in the
 * long and in the short window. The short window makes the alert end soon after its cause. The windows, in seconds, fit
 * a resync every five minutes.
 */
const burns = [
  { severity: 'critical', rate: 14.4, long: 3_600, short: 900 },
  { severity: 'critical', rate: 6, long: 21_600, short: 1_800 },
  { severity: 'warning', rate: 1, long: 259_200, short: 21_600 },
] as const;

/** Stretches the windows so that the shortest covers at least three resyncs. */
function burnsFor({ interval }: Monitored) {
  const scale = Math.max(1, interval / 300);
  return burns.map(({ long, short, ...burn }) => ({
    ...burn,
    long: duration(Math.ceil(long * scale)),
    short: duration(Math.ceil(short * scale)),
  }));
}

export const recordedShares = (to: Monitored): readonly object[] =>
  levels.flatMap(({ record, counter, of, bad, by }) => {
    const series = (labels: readonly string[], window: string): string =>
      `sum by (${by.join(', ')}) (rate(${counter}{${labels.filter(Boolean).join(', ')}}[${window}]))`;
    const windows = new Set(burnsFor(to).flatMap(({ long, short }) => [short, long]));
    return [...windows].map((window) => ({
      record: `${record}:ratio_rate${window}`,
      expr: `${series([jobOf(to), of, bad], window)} / ${series([jobOf(to), of], window)}`,
    }));
  });

export const burnAlerts = (to: Monitored) =>
  levels.flatMap((level) =>
    [...Map.groupBy(burnsFor(to), ({ severity }) => severity)].map(([severity, own]) => ({
      alert: level.alert,
      severity,
      for: '2m',
      expr: own.map((burn) => burning(level, burn, to)).join('\nor\n'),
      summary: level.summary,
    })),
  );

interface Burn {
  readonly rate: number;
  readonly long: string;
  readonly short: string;
}

function burning(level: ServiceLevel, { rate, long, short }: Burn, to: Monitored): string {
  const { record, counter, of, bad, by, objective, least, needs } = level;
  const most = Number((rate * (1 - objective)).toFixed(4));
  const labels = [jobOf(to), of, bad].filter(Boolean).join(', ');
  const number = `sum by (${by.join(', ')}) (increase(${counter}{${labels}}[${long}]))`;
  const conditions = [long, short].map(
    (window) => `${record}:ratio_rate${window}{${jobOf(to)}} > ${most}`,
  );
  // Subtracts a half, because Prometheus extrapolates increases to fractions.
  conditions.push(`${number} > ${least - 0.5}`);
  if (needs !== undefined)
    conditions.push(`sum by (job) (increase(${needs}{${jobOf(to)}}[${long}])) > 0`);
  return `(${conditions.join(' and ')})`;
}
