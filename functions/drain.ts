import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Log } from '../shared/log.ts';

export interface Drain {
  /** Aborted once the process is stopping. */
  readonly stopped: AbortSignal;
  /** Keeps the process alive until `work` has ended. */
  readonly holdUntil: (work: Promise<unknown>) => void;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Finishes the current requests when the platform stops the process. By default the framework responds to the latest
 * request with 500 and exits.
 *
 * Flow: a signal closes the port and calls `stop`, so that runs begin nothing more. Once all work has ended,
 * the process exits with 0. A second signal ends the process at once.
 * Caveats: until a server of the process receives its first request, the framework's own signal handlers apply.
 */
export function drainOnSignal(log: Log, stop: () => void): Drain {
  const pending = new Set<Promise<unknown>>();
  /** The servers that have received a request: the function's server and, if it exists, the metrics server. */
  const servers = new Set<Server>();
  const stopping = new AbortController();
  const end = async (): Promise<void> => {
    log.info('stopping', { requests: pending.size });
    stopping.abort();
    for (const server of servers) server.close();
    stop();
    while (pending.size > 0) await Promise.allSettled(pending);
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
  subscribe('http.server.request.start', takeOver);
  return {
    stopped: stopping.signal,
    holdUntil(work) {
      pending.add(work);
      const done = (): boolean => pending.delete(work);
      work.then(done, done);
    },
  };
}
