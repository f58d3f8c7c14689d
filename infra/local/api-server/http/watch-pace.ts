import type { ServerResponse } from 'node:http';

/** Limit of bytes that wait for the client of a watch, without initial events. */
const maxWaiting = 8 * 1024 * 1024;
/** Time that a client has to read after the limit is exceeded. */
const drainTimeoutMs = 50;

/**
 * Monitors how fast a client reads the events of its watch.
 *
 * Flow: `wrote` is called after each event, `began` after the initial events. Beyond the limit, the client
 * gets some time, and some turns of the event loop, to read.
 * Guarantees: a client that reads, however slowly, keeps its watch. For a client that does not read, no more
 * than the limit and the events of that time are kept, for at most two minutes.
 */
export function watchPace(response: ServerResponse) {
  let written = 0;
  let allowed = Number.POSITIVE_INFINITY;
  let isWatched = false;
  let takenByMinute: number | undefined;
  const taken = (): number => written - response.writableLength;

  const check = (before: number): void => {
    isWatched = false;
    if (response.destroyed || response.writableLength <= allowed) return;
    if (taken() <= before) response.destroy();
    else watch();
  };
  const watch = (): void => {
    if (isWatched) return;
    isWatched = true;
    const before = taken();
    const later = (): unknown => setImmediate(() => setImmediate(check, before));
    setTimeout(later, drainTimeoutMs).unref();
  };

  return {
    began: (): void => {
      allowed = response.writableLength + maxWaiting;
    },
    wrote: (bytes: number): void => {
      written += bytes;
      if (response.writableLength > allowed) watch();
    },
    eachMinute: (): void => {
      const now = response.writableNeedDrain ? taken() : undefined;
      if (now !== undefined && now === takenByMinute) response.destroy();
      takenByMinute = now;
    },
  };
}
