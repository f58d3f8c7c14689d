/** Passes on the events for all watches, in order. */
export interface WatchGate {
  /** Holds all events; the returned function releases this hold. The gate opens when every hold is released. */
  readonly hold: () => () => void;
  /** Opens the gate, releasing every hold. */
  readonly open: () => void;
  /** Runs `send`, or queues it while the gate is held. */
  readonly enqueue: (send: () => void) => void;
}

export function createWatchGate(): WatchGate {
  const holds = new Set<object>();
  let queued: (() => void)[] = [];
  const flush = (): void => {
    if (holds.size > 0) return;
    const sends = queued;
    queued = [];
    for (const send of sends) send();
  };
  return {
    hold: () => {
      const own = {};
      holds.add(own);
      return () => {
        holds.delete(own);
        flush();
      };
    },
    open: () => {
      holds.clear();
      flush();
    },
    enqueue: (send) => {
      if (holds.size > 0) queued.push(send);
      else send();
    },
  };
}
