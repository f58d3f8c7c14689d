/**
 * The work queue of the controllers.
 *
 * Flow: items are queued by key and processed in turns of the event loop, a few at a time, so that requests
 * come in between.
 * Guarantees: an item that is queued again while it waits is processed once. `settled` resolves when nothing
 * is queued and no timer of `addAfter` runs; while paused, at once.
 */
export interface Work {
  readonly add: (key: string, act: () => void) => void;
  readonly addAfter: (key: string, ms: number, act: () => void) => void;
  /** Like `addAfter`, for something that is hours away, perhaps: `settled` does not wait for it. */
  readonly addLater: (key: string, ms: number, act: () => void) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly settled: () => Promise<void>;
  readonly stop: () => void;
}

const requestsPerTurn = 25;
/** A longer time would make a timer fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export const createWork = (
  onError: (error: unknown) => void,
  { paused }: { readonly paused: boolean },
): Work => new WorkQueue(onError, paused);

class WorkQueue implements Work {
  readonly #queue = new Map<string, () => void>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #later = new Map<string, NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();
  readonly #onError: (error: unknown) => void;
  #paused: boolean;
  #stopped = false;
  #turn: NodeJS.Immediate | undefined;

  constructor(onError: (error: unknown) => void, paused: boolean) {
    this.#onError = onError;
    this.#paused = paused;
  }

  add(key: string, act: () => void): void {
    if (this.#stopped) return;
    this.#queue.set(key, act);
    this.#wake();
  }

  addAfter(key: string, ms: number, act: () => void): void {
    this.#start(this.#timers, key, { ms, act });
  }

  addLater(key: string, ms: number, act: () => void): void {
    this.#start(this.#later, key, { ms: Math.min(ms, maxTimerMs), act })?.unref();
  }

  #start(
    timers: Map<string, NodeJS.Timeout>,
    key: string,
    { ms, act }: { readonly ms: number; readonly act: () => void },
  ): NodeJS.Timeout | undefined {
    if (this.#stopped || timers.has(key)) return undefined;
    const fire = (): void => {
      timers.delete(key);
      this.add(key, act);
    };
    const timer = setTimeout(fire, ms);
    timers.set(key, timer);
    return timer;
  }

  pause(): void {
    this.#paused = true;
    this.#release();
  }

  resume(): void {
    this.#paused = false;
    this.#wake();
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      // Waits one turn: a commit of this turn may not have reached the controllers yet.
      setImmediate(() => this.#release());
    });
  }

  stop(): void {
    this.#stopped = true;
    if (this.#turn !== undefined) clearImmediate(this.#turn);
    for (const timers of [this.#timers, this.#later]) {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    }
    this.#queue.clear();
    this.#release();
  }

  #wake(): void {
    if (this.#turn !== undefined || this.#paused || this.#stopped || this.#queue.size === 0) return;
    this.#turn = setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#turn = undefined;
    let left = requestsPerTurn;
    for (const [key, act] of this.#queue) {
      if (left-- === 0) break;
      this.#queue.delete(key);
      try {
        act();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#wake();
    this.#release();
  }

  #release(): void {
    const isIdle =
      this.#stopped || this.#paused || (this.#queue.size === 0 && this.#timers.size === 0);
    if (!isIdle) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
