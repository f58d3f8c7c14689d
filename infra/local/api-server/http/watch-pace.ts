import type { ServerResponse } from 'node:http';

/** How many bytes may wait for a client of a watch to read, initial events aside. */
const maxWaiting = 8 * 1024 * 1024;
/** How long to wait for a client that does not read once that is exceeded. */
const drainTimeoutMs = 50;

/**
 * Monitors how fast a client reads the events of its watch.
 *
 * Flow: `wrote` is called after each event, `began` after the initial ones; once too much waits, the
 * client gets a moment, and some turns of the event loop, to read.
 * Guarantees: one that reads, however slowly, keeps its watch; of one that does not, no more than
 * the bound and what comes up in that moment is kept, nor for longer than two minutes.
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
