/**
 * The work queue of the controllers; each key is queued once.
 *
 * Flow: work is queued by key and done in turns of the event loop, a few items at a time, so that
 * requests come in between.
 * Guarantees: work that is queued again while it waits is done once; `settled` resolves when
 * nothing is queued and no timer runs, or at once while paused.
 */
export interface Work {
  readonly add: (key: string, act: () => void) => void;
  readonly addAfter: (key: string, ms: number, act: () => void) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly settled: () => Promise<void>;
  readonly stop: () => void;
}

const requestsPerTurn = 25;

export function createWork(
  onError: (error: unknown) => void,
  { paused: initially }: { readonly paused: boolean },
): Work {
  const queue = new Map<string, () => void>();
  const timers = new Map<string, NodeJS.Timeout>();
  const waiting = new Set<() => void>();
  let paused = initially;
  let stopped = false;
  let turn: NodeJS.Immediate | undefined;

  const isIdle = (): boolean => stopped || paused || (queue.size === 0 && timers.size === 0);

  const release = (): void => {
    if (!isIdle()) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const takeTurn = (): void => {
    turn = undefined;
    let left = requestsPerTurn;
    for (const [key, act] of queue) {
      if (left-- === 0) break;
      queue.delete(key);
      try {
        act();
      } catch (error) {
        onError(error);
      }
    }
    wake();
    release();
  };

  const wake = (): void => {
    if (turn === undefined && !paused && !stopped && queue.size > 0) turn = setImmediate(takeTurn);
  };

  const add = (key: string, act: () => void): void => {
    if (stopped) return;
    queue.set(key, act);
    wake();
  };

  return {
    add,
    addAfter: (key, ms, act) => {
      if (stopped || timers.has(key)) return;
      const fire = (): void => {
        timers.delete(key);
        add(key, act);
      };
      timers.set(key, setTimeout(fire, ms));
    },
    pause: () => {
      paused = true;
      release();
    },
    resume: () => {
      paused = false;
      wake();
    },
    settled: () =>
      new Promise((resolve) => {
        waiting.add(resolve);
        // One turn later: a commit of this very turn may not have reached the controllers yet.
        setImmediate(release);
      }),
    stop: () => {
      stopped = true;
      if (turn !== undefined) clearImmediate(turn);
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      queue.clear();
      release();
    },
  };
}
