import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Log } from '../shared/log.ts';

/** Lets the process end: no work begins any more, and work that has begun gets time to finish. */
export interface Drain {
  readonly isStopping: () => boolean;
  /** Keeps the process alive until `work` has settled. */
  readonly holdUntil: (work: Promise<unknown>) => void;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Finishes the current requests when the platform stops the process. The framework itself would answer the
 * latest of them with 500 and exit.
 *
 * Flow: a signal closes the port and calls `stop`, which moves the deadlines of runs to now. Once all work
 * has settled, the process exits with 0. A second signal ends it at once. Caveats: replaces the framework's
 * signal handlers only at the first request; before that there is nothing to finish.
 */
export function drainOnSignal(log: Log, stop: () => void): Drain {
  const under = new Set<Promise<unknown>>();
  let isStopping = false;
  const end = async (server: Server): Promise<void> => {
    isStopping = true;
    log.info('stopping', { requests: under.size });
    server.close();
    stop();
    while (under.size > 0) await Promise.allSettled(under);
    process.exit(0);
  };
  const takeOver = (message: unknown): void => {
    unsubscribe(firstRequest, takeOver);
    const { server } = message as { readonly server: Server };
    for (const signal of signals) process.removeAllListeners(signal);
    const begin = (): void => {
      for (const signal of signals) process.off(signal, begin);
      void end(server);
    };
    for (const signal of signals) process.on(signal, begin);
  };
  subscribe(firstRequest, takeOver);
  return {
    isStopping: () => isStopping,
    holdUntil(work) {
      under.add(work);
      const done = (): boolean => under.delete(work);
      work.then(done, done);
    },
  };
}

const firstRequest = 'http.server.request.start';
