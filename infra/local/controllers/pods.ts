/** The pods a workload would have: which template they run, and when each lot became ready. */
export interface Pods {
  readonly template: string;
  readonly revision: number;
  /** Pods of the current template, by the time they are ready. */
  readonly readyAt: readonly number[];
  /** Ready pods of the template before, which stay until the new ones are ready. */
  readonly old: number;
}

/** The pods after the workload wants `replicas` of `template`. */
export const nextPods = (
  pods: Pods | undefined,
  wanted: {
    readonly template: string;
    readonly replicas: number;
    readonly now: number;
    readonly readyAfterMs: number;
    /** The revision to start from, where nothing is remembered. */
    readonly revision: number;
  },
): Pods => {
  const { template, replicas, now, readyAfterMs } = wanted;
  const fresh = (count: number): number[] =>
    Array.from({ length: count }, () => now + readyAfterMs);
  if (pods === undefined) {
    return { template, revision: wanted.revision, readyAt: fresh(replicas), old: 0 };
  }
  if (pods.template !== template) {
    const ready = readyCount(pods, now);
    return { template, revision: pods.revision + 1, readyAt: fresh(replicas), old: ready };
  }
  const kept = [...pods.readyAt].sort((a, b) => a - b).slice(0, replicas);
  const readyAt = [...kept, ...fresh(replicas - kept.length)];
  const allReady = readyAt.every((time) => time <= now);
  return { ...pods, readyAt, old: allReady ? 0 : pods.old };
};

export const readyCount = ({ readyAt }: Pods, now: number): number =>
  readyAt.filter((time) => time <= now).length;

/** How long until the next pod is ready; undefined when all are. */
export const nextReadyIn = ({ readyAt }: Pods, now: number): number | undefined => {
  const waiting = readyAt.filter((time) => time > now);
  return waiting.length === 0 ? undefined : Math.min(...waiting) - now;
};
