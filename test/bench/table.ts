import { requestsOf, type Traffic, writesOf } from './exchange.ts';
import { type Measurement, median, type Sample, spread } from './figures.ts';

const columns = [
  'scenario',
  'candidate',
  'CPU',
  'to the first',
  'wall',
  'peak',
  'retained',
  'requests',
  'writes',
  'conflicts',
  'sent',
  'received',
  'connections',
];

/** Formats a row per measurement, with CPU also as a ratio to the first candidate of its scenario. */
export function tableOf(measurements: readonly Measurement[]): string {
  const rows = measurements.map((one) => {
    const [first = one] = measurements.filter(({ scenario }) => scenario === one.scenario);
    return cellsOf(one, one === first ? undefined : cpu(one) / cpu(first));
  });
  const widths = columns.map((title, at) =>
    Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map(({ length }) => length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [columns, ...rows].map(line).join('\n');
}

const cpu = ({ samples }: Measurement): number => of(samples, ({ cpuSeconds }) => cpuSeconds);

const of = (samples: readonly Sample[], value: (sample: Sample) => number): number =>
  median(samples.map(value));

function cellsOf({ scenario, candidate, samples }: Measurement, ratio?: number): readonly string[] {
  const times = samples.map(({ cpuSeconds }) => cpuSeconds);
  const counted = (value: (traffic: Traffic) => number): string => {
    const seen = samples.flatMap(({ traffic }) => (traffic === undefined ? [] : [value(traffic)]));
    return seen.length === 0 ? '' : `${Math.round(median(seen))}`;
  };
  const kibibytes = (value: (traffic: Traffic) => number): string => {
    const text = counted((traffic) => value(traffic) / 1024);
    return text === '' ? '' : `${text} KiB`;
  };
  return [
    scenario,
    candidate,
    `${median(times).toFixed(2)} s ±${Math.round(spread(times) * 100)} %`,
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    `${of(samples, ({ wallSeconds }) => wallSeconds).toFixed(2)} s`,
    `${Math.round(of(samples, ({ peakMiB }) => peakMiB))} MiB`,
    `${Math.round(of(samples, ({ retainedMiB }) => retainedMiB))} MiB`,
    counted(requestsOf),
    counted(writesOf),
    counted(({ conflicts }) => conflicts),
    kibibytes(({ bytesSent }) => bytesSent),
    kibibytes(({ bytesReceived }) => bytesReceived),
    counted(({ connections }) => connections),
  ];
}
