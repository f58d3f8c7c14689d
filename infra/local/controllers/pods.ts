/** The pods that a workload would have: their template, and when each batch becomes ready. */
export interface Pods {
  readonly template: string;
  readonly revision: number;
  /**
   * Pods of the current template in the order in which they become ready; in batches, because there may be
   * billions.
   */
  readonly batches: readonly Batch[];
  /** Ready pods of the previous template, which stay until the new pods are ready. */
  readonly old: number;
}

/** Pods that become ready at the same time. */
export interface Batch {
  readonly count: number;
  readonly readyAt: number;
}

/** Updates the pods after the workload wants `replicas` of `template`. */
export function nextPods(
  pods: Pods | undefined,
  wanted: {
    readonly template: string;
    readonly replicas: number;
    readonly now: number;
    readonly readyAfterMs: number;
    /** The first revision, if none is remembered. */
    readonly revision: number;
  },
): Pods {
  const { template, replicas, now, readyAfterMs } = wanted;
  const fresh = (count: number): Batch[] =>
    count > 0 ? [{ count, readyAt: now + readyAfterMs }] : [];
  if (pods === undefined) {
    return { template, revision: wanted.revision, batches: fresh(replicas), old: 0 };
  }
  if (pods.template !== template) {
    const ready = readyCount(pods, now);
    return { template, revision: pods.revision + 1, batches: fresh(replicas), old: ready };
  }
  const kept = atMost(withReadyAsOne(pods, now), replicas);
  const batches = [...kept, ...fresh(replicas - podCount({ batches: kept }))];
  const allReady = batches.every(({ readyAt }) => readyAt <= now);
  return { ...pods, batches, old: allReady ? 0 : pods.old };
}

/** Returns the number of pods of the current template. */
export function podCount({ batches }: Pick<Pods, 'batches'>): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}

export function readyCount({ batches }: Pods, now: number): number {
  return podCount({ batches: batches.filter(({ readyAt }) => readyAt <= now) });
}

/** Returns the time until the next pod is ready; undefined if all are. */
export function nextReadyIn({ batches }: Pods, now: number): number | undefined {
  const next = batches.find(({ readyAt }) => readyAt > now);
  return next && next.readyAt - now;
}

// Merges batches; otherwise each scale would add a batch.
function withReadyAsOne(pods: Pods, now: number): Batch[] {
  const count = readyCount(pods, now);
  const waiting = pods.batches.filter(({ readyAt }) => readyAt > now);
  return count === 0 ? waiting : [{ count, readyAt: now }, ...waiting];
}

function atMost(batches: readonly Batch[], most: number): Batch[] {
  let left = most;
  return batches.flatMap((batch) => {
    const count = Math.min(batch.count, left);
    left -= count;
    return count > 0 ? [{ ...batch, count }] : [];
  });
}
