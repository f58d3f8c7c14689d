import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { DashboardSnapshot, Delta, Messages, ResourceView, Timeline } from './views.ts';

export type Send = <Name extends keyof Messages>(name: Name, message: Messages[Name]) => void;

/** One snapshot for all clients, which is read again when something may have changed. */
export interface Board {
  /** Sends what is known, and then each change; returns what ends it. */
  readonly subscribe: (send: Send) => () => void;
  /** Something may have changed in the cluster. */
  readonly touch: () => void;
  /** Resolves once a read that began after this call has been sent. */
  readonly refresh: () => Promise<void>;
  readonly snapshot: () => DashboardSnapshot | undefined;
  readonly stop: () => void;
}

interface BoardOptions extends Partial<Pace> {
  readonly read: () => Promise<DashboardSnapshot>;
  readonly timeline: () => Promise<Timeline> | Timeline;
  /** Calls back when something may have changed; returns what ends it. */
  readonly watch: (onChange: () => void) => () => void;
}

interface Pace {
  /** The least time between two reads, in milliseconds; a slow read makes it longer. */
  readonly leastGapMs: number;
  /** A snapshot that is older is read again, whatever was noticed. */
  readonly mostAgeMs: number;
  /** After a read that failed. */
  readonly retryMs: number;
}

const usual: Pace = { leastGapMs: 300, mostAgeMs: 60_000, retryMs: 5_000 };

/**
 * Guarantees: one read at a time; no read and no watch while nobody looks; after a change at least one read that
 * began later; reading takes at most a fifth of the time, unless a client connects or acts.
 * Caveats: if a read fails, the last snapshot stays, and the clients receive the reason.
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
      // The resources have been read: that stands without the runs.
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

/** Decides when to read; `readOnce` resolves to whether it succeeded. */
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
    /** Reads again, as changes may have been missed meanwhile. */
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

/** The difference of two snapshots, without resources that are equal as JSON. */
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
