import { deployed, Fleet } from './fleet.ts';

/** A run of `npm run bench -- --growth` on two shared processors; a single sample is accurate to about 15 %. */
interface Run {
  readonly resources: number;
  /** Processes that share the messages; 0 means one process without fan-out. */
  readonly workers: number;
  /** True if one in a hundred resources drifted, false if none. */
  readonly drifted: boolean;
  readonly cpuSeconds: number;
  readonly requests: number;
  /** True if the costs were fitted to this run; other runs only check the model. */
  readonly isFitted: boolean;
}

const run = (
  [resources, workers, share]: readonly [number, number, '' | '1 %'],
  [cpuSeconds, requests]: readonly [number, number],
  isFitted = false,
): Run => ({ resources, workers, drifted: share !== '', cpuSeconds, requests, isFitted });

/** Measured on 2026-11-22 with ten namespaces; with fan-out, two processes receive each message. */
export const runs: readonly Run[] = [
  run([100, 0, ''], [0.115, 3], true),
  run([1_000, 0, ''], [0.42, 6], true),
  run([1_000, 0, '1 %'], [0.485, 36], true),
  run([10_000, 0, ''], [2.86, 60], true),
  run([10_000, 0, '1 %'], [3.42, 370]),
  run([100, 2, ''], [0.37, 61], true),
  run([100, 4, ''], [0.5, 62], true),
  run([100, 8, ''], [0.71, 61], true),
  run([1_000, 2, ''], [1.13, 62]),
  run([1_000, 2, '1 %'], [1.31, 122]),
  run([1_000, 4, ''], [1.7, 62]),
  run([1_000, 4, '1 %'], [1.83, 119]),
  run([1_000, 8, ''], [2.33, 62]),
  run([1_000, 8, '1 %'], [1.83, 122]),
  run([10_000, 2, ''], [6.95, 140]),
  run([10_000, 2, '1 %'], [9.4, 756]),
  run([10_000, 4, ''], [7.64, 140]),
  run([10_000, 4, '1 %'], [9.31, 740]),
  run([10_000, 8, ''], [8.47, 140]),
  run([10_000, 8, '1 %'], [9.55, 780]),
];

const namespaces = 10;

/** Simulates a measured run. */
export function replay({ resources, workers, drifted }: Run): {
  readonly cpuSeconds: number;
  readonly requests: number;
} {
  const fleet = new Fleet({
    ...deployed,
    seed: 1,
    clusters: 1,
    resources,
    namespaces,
    startSeconds: 0,
    fanOut: workers > 0,
    auditInstances: Math.max(1, workers),
    auditConcurrency: Math.ceil((2 * namespaces) / Math.max(1, workers)),
    delivery: { ...deployed.delivery, duplicates: 1, firstWindow: 2 * namespaces },
  });
  const [cluster] = fleet.clusters;
  for (let edit = 0; drifted && cluster && edit < resources / 100; edit++)
    fleet.edit(cluster, edit % namespaces);
  fleet.clock.start(fleet.resyncOnce());
  fleet.clock.runUntil(Number.POSITIVE_INFINITY);
  const { resync, audit, apiRequests } = fleet;
  return { cpuSeconds: resync.cpuSeconds + audit.cpuSeconds, requests: apiRequests };
}

export interface Comparison {
  readonly name: string;
  readonly measured: string;
  readonly modelled: string;
  /** Deviation in per cent of the measured value. */
  readonly deviation: number;
  readonly isFitted: boolean;
  readonly of: 'processor time' | 'requests';
}

export function compare(): readonly Comparison[] {
  return runs.flatMap((one) => {
    const { resources, workers, drifted, cpuSeconds, requests, isFitted } = one;
    const modelled = replay(one);
    const where = workers === 0 ? 'one process' : `fan-out over ${workers}`;
    const name = `${resources}, ${drifted ? '1 % drifted' : 'nothing to do'}, ${where}`;
    const off = (of: number, from: number): number => (100 * (of - from)) / from;
    return [
      {
        name: isFitted ? `${name} (fitted)` : name,
        measured: `${cpuSeconds.toFixed(2)} s`,
        modelled: `${modelled.cpuSeconds.toFixed(2)} s`,
        deviation: off(modelled.cpuSeconds, cpuSeconds),
        isFitted,
        of: 'processor time' as const,
      },
      {
        name: isFitted ? `${name} (fitted)` : name,
        measured: `${requests} requests`,
        modelled: `${modelled.requests} requests`,
        deviation: off(modelled.requests, requests),
        isFitted,
        of: 'requests' as const,
      },
    ];
  });
}
