/** The pods a workload would have: which template they run, and when each lot becomes ready. */
export interface Pods {
  readonly template: string;
  readonly revision: number;
  /** Pods of the current template, the first ready first; lots, for replicas may be billions. */
  readonly lots: readonly Lot[];
  /** Ready pods of the template before, which stay until the new ones are ready. */
  readonly old: number;
}

/** Pods that are ready at one time. */
export interface Lot {
  readonly count: number;
  readonly readyAt: number;
}

/** The pods after the workload wants `replicas` of `template`. */
export function nextPods(
  pods: Pods | undefined,
  wanted: {
    readonly template: string;
    readonly replicas: number;
    readonly now: number;
    readonly readyAfterMs: number;
    /** The revision to start from, where nothing is remembered. */
    readonly revision: number;
  },
): Pods {
  const { template, replicas, now, readyAfterMs } = wanted;
  const fresh = (count: number): Lot[] =>
    count > 0 ? [{ count, readyAt: now + readyAfterMs }] : [];
  if (pods === undefined) {
    return { template, revision: wanted.revision, lots: fresh(replicas), old: 0 };
  }
  if (pods.template !== template) {
    const ready = readyCount(pods, now);
    return { template, revision: pods.revision + 1, lots: fresh(replicas), old: ready };
  }
  const kept = atMost(withReadyAsOne(pods, now), replicas);
  const lots = [...kept, ...fresh(replicas - podCount({ lots: kept }))];
  const allReady = lots.every(({ readyAt }) => readyAt <= now);
  return { ...pods, lots, old: allReady ? 0 : pods.old };
}

/** How many pods of the current template there are. */
export function podCount({ lots }: Pick<Pods, 'lots'>): number {
  return lots.reduce((sum, { count }) => sum + count, 0);
}

export function readyCount({ lots }: Pods, now: number): number {
  return podCount({ lots: lots.filter(({ readyAt }) => readyAt <= now) });
}

/** How long until the next pod is ready; undefined when all are. */
export function nextReadyIn({ lots }: Pods, now: number): number | undefined {
  const next = lots.find(({ readyAt }) => readyAt > now);
  return next && next.readyAt - now;
}

// Else every change of scale would leave a lot behind.
function withReadyAsOne(pods: Pods, now: number): Lot[] {
  const count = readyCount(pods, now);
  const waiting = pods.lots.filter(({ readyAt }) => readyAt > now);
  return count === 0 ? waiting : [{ count, readyAt: now }, ...waiting];
}

function atMost(lots: readonly Lot[], most: number): Lot[] {
  let left = most;
  return lots.flatMap((lot) => {
    const count = Math.min(lot.count, left);
    left -= count;
    return count > 0 ? [{ ...lot, count }] : [];
  });
}
