/** Everything that is to be sent to watches passes here, in its order. */
export interface WatchGate {
  /** Holds everything back; the answer opens the gate. It opens once every hold is taken back. */
  readonly hold: () => () => void;
  /** Opens the gate, however often it is held. */
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
