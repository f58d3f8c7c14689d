import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { DashboardSnapshot, Delta, Messages, ResourceView, RunTimeline } from './views.ts';

export type Send = <Name extends keyof Messages>(name: Name, message: Messages[Name]) => void;

/** All clients share one snapshot, which is read again when the cluster may have changed. */
export interface Board {
  /** Sends the latest snapshot and then each change, until the returned function is called. */
  readonly subscribe: (send: Send) => () => void;
  /** Call this when the cluster may have changed. */
  readonly touch: () => void;
  /** Resolves once a read that began after this call has succeeded or failed. */
  readonly refresh: () => Promise<void>;
  readonly snapshot: () => DashboardSnapshot | undefined;
  readonly stop: () => void;
}

interface BoardOptions extends Partial<Pace> {
  readonly read: () => Promise<DashboardSnapshot>;
  readonly timeline: () => Promise<RunTimeline> | RunTimeline;
  readonly watch: (onChange: () => void) => () => void;
}

interface Pace {
  /** Minimum time between two reads; longer after a slow read. */
  readonly leastGapMs: number;
  /** Maximum age of a snapshot if no change is noticed. */
  readonly mostAgeMs: number;
  /** Delay before the next read after a failed read. */
  readonly retryMs: number;
}

const usual: Pace = { leastGapMs: 300, mostAgeMs: 60_000, retryMs: 5_000 };

/**
 * Reads the cluster for all clients, and sends them what has changed.
 *
 * Guarantees: reads never overlap, and at least one read begins after each change. Without clients nothing is watched,
 * and only `refresh` reads. After a read that took 1 s, the next read waits for at least 4 s, or until a client
 * connects or acts.
 * Caveats: if a read fails, clients receive the error and keep the last snapshot.
 */
export function createBoard({ read, timeline, watch, ...pace }: BoardOptions): Board {
  const clients = new Set<Send>();
  let last: DashboardSnapshot | undefined;
  let problem: string | undefined;
  let unwatch: (() => void) | undefined;
  const broadcast: Send = (name, message) => {
    for (const send of clients) send(name, message);
  };
  const reader = createReader({ ...usual, ...pace }, async () => {
    try {
      const next = await read();
      if (last === undefined || problem !== undefined) broadcast('snapshot', next);
      else broadcast('delta', deltaOf(last, next));
      last = next;
      problem = undefined;
    } catch (error) {
      problem = messageOf(error);
      broadcast('unread', { message: problem });
      return false;
    }
    try {
      broadcast('timeline', await timeline());
    } catch {
      // A failed timeline does not count as a failed read: the snapshot has been read.
    }
    return true;
  });
  const rest = (): void => {
    reader.pause();
    unwatch?.();
    unwatch = undefined;
  };
  return {
    subscribe(send) {
      clients.add(send);
      if (last !== undefined) send('snapshot', last);
      if (problem !== undefined) send('unread', { message: problem });
      unwatch ??= watch(reader.touch);
      reader.resume();
      return () => {
        clients.delete(send);
        if (clients.size === 0) rest();
      };
    },
    touch: reader.touch,
    refresh: reader.refresh,
    snapshot: () => last,
    stop: rest,
  };
}

/** `readOnce` returns false if the read fails. */
function createReader({ leastGapMs, mostAgeMs, retryMs }: Pace, readOnce: () => Promise<boolean>) {
  let isPaused = true;
  let isStale = true;
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let restMs = mostAgeMs;
  let gapMs = leastGapMs;

  function begin(): Promise<void> {
    underWay ??= run().finally(() => {
      underWay = undefined;
      schedule();
    });
    return underWay;
  }

  async function run(): Promise<void> {
    isStale = false;
    const began = Date.now();
    restMs = (await readOnce()) ? mostAgeMs : retryMs;
    gapMs = Math.max(leastGapMs, 4 * (Date.now() - began));
  }

  function schedule(): void {
    clearTimeout(timer);
    if (isPaused || underWay !== undefined) return;
    timer = setTimeout(begin, isStale ? gapMs : restMs);
  }

  return {
    touch() {
      if (isStale) return;
      isStale = true;
      schedule();
    },
    async refresh(): Promise<void> {
      await underWay;
      await begin();
    },
    /** Ends the pause, and reads at once, because changes during the pause were not noticed. */
    resume(): void {
      if (isPaused) void begin();
      isPaused = false;
    },
    pause(): void {
      isPaused = true;
      clearTimeout(timer);
    },
  };
}

export function deltaOf(
  before: DashboardSnapshot,
  { resources, ...now }: DashboardSnapshot,
): Delta {
  const known = new Map(before.resources.map((one) => [one.id, textOf(one)]));
  const present = new Set(resources.map(({ id }) => id));
  return {
    ...now,
    changed: resources.filter((one) => known.get(one.id) !== textOf(one)),
    removed: [...known.keys()].filter((id) => !present.has(id)),
  };
}

const textOf = (view: ResourceView): string => JSON.stringify(view);
