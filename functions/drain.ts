import { subscribe } from 'node:diagnostics_channel';
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
 * Finishes the current requests when the platform stops the process. The framework itself would respond to the
 * latest of them with 500 and exit.
 *
 * Flow: a signal closes the port and calls `stop`, which moves the deadlines of runs; once all work has
 * settled, the process exits with 0. Another signal ends it at once.
 * Caveats: replaces the framework's signal handlers only at the first request, to any server of the process; before
 * that, nothing is under way.
 */
export function drainOnSignal(log: Log, stop: () => void): Drain {
  const under = new Set<Promise<unknown>>();
  /** The function's server and, if there is one, the server of its metrics. */
  const servers = new Set<Server>();
  let isStopping = false;
  const end = async (): Promise<void> => {
    isStopping = true;
    log.info('stopping', { requests: under.size });
    for (const server of servers) server.close();
    stop();
    while (under.size > 0) await Promise.allSettled(under);
    process.exit(0);
  };
  const takeOver = (message: unknown): void => {
    const isFirst = servers.size === 0;
    servers.add((message as { readonly server: Server }).server);
    if (!isFirst) return;
    for (const signal of signals) process.removeAllListeners(signal);
    const begin = (): void => {
      for (const signal of signals) process.off(signal, begin);
      void end();
    };
    for (const signal of signals) process.on(signal, begin);
  };
  subscribe(requestStart, takeOver);
  return {
    isStopping: () => isStopping,
    holdUntil(work) {
      under.add(work);
      const done = (): boolean => under.delete(work);
      work.then(done, done);
    },
  };
}

const requestStart = 'http.server.request.start';
