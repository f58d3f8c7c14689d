import type { FunctionProcess } from './function-process.ts';
import type { Memory } from './preload.ts';

interface Sample extends Memory {
  /** Time since the first sample, in seconds. */
  readonly at: number;
  /** Posts that the process had handled. */
  readonly handled: number;
}

export interface MemoryReport {
  readonly name: string;
  readonly samples: number;
  /** MiB at the end, after a full garbage collection. */
  readonly heap: number;
  readonly rss: number;
  /** MiB by which the regression line through the samples after the warm-up rises over their time. */
  readonly heapGrowth: number;
  readonly rssGrowth: number;
  /** Seconds, heap and RSS of each sample. */
  readonly series: readonly (readonly [at: number, heap: number, rss: number])[];
}

/** Share of the posts during which code is compiled and pools fill. */
const warmUp = 1 / 3;

/** Largest growth in MiB that is not a leak, over a minute or an hour; the RSS includes spare pages of the allocator. */
export const bounds = { heapGrowth: 4, rssGrowth: 48 };

export interface MemoryWatch {
  readonly sample: () => Promise<void>;
  readonly report: () => readonly MemoryReport[];
  /** Returns the last sample of the first process's heap, in MiB. */
  readonly last: () => number;
}

type Watched = Pick<FunctionProcess, 'name' | 'memory' | 'handled'>;

const mebibyte = 2 ** 20;

/** Samples the memory of processes, which must live as long as the watch. */
export function watchMemory(processes: readonly Watched[], now = Date.now): MemoryWatch {
  const started = now();
  const all = new Map(processes.map((one) => [one, [] as Sample[]]));
  return {
    async sample() {
      for (const [process, samples] of all) {
        const memory = await process.memory();
        const at = (now() - started) / 1_000;
        if (memory === undefined) continue;
        const [heap, rss] = [memory.heap / mebibyte, memory.rss / mebibyte];
        samples.push({ at, handled: process.handled(), heap, rss });
      }
    },
    last: () => [...all.values()][0]?.at(-1)?.heap ?? 0,
    report: () => [...all].map(([{ name }, samples]) => reportOf(name, samples)),
  };
}

function reportOf(name: string, samples: readonly Sample[]): MemoryReport {
  const work = samples.at(-1)?.handled ?? 0;
  const warm = samples.filter(({ handled }) => handled >= work * warmUp);
  return {
    name,
    samples: samples.length,
    heap: samples.at(-1)?.heap ?? Number.NaN,
    rss: samples.at(-1)?.rss ?? Number.NaN,
    heapGrowth: growthOf(warm.map(({ at, heap }) => [at, heap])),
    rssGrowth: growthOf(warm.map(({ at, rss }) => [at, rss])),
    series: samples.map(
      ({ at, heap, rss }) => [at, heap, rss].map(Math.round) as [number, number, number],
    ),
  };
}

/** Returns the slope of the least-squares line, multiplied by the time that the points span. */
export function growthOf(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2) return 0;
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const products = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const span = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
  return squares === 0 ? 0 : (products / squares) * span;
}
