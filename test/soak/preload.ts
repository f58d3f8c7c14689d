/**
 * Preloaded into the process of a function (`node --import`). The IPC channel can move its wall clock and
 * query its memory. Timers and monotonic clocks are not affected, as when the clock of a machine is set.
 */
const now = Date.now.bind(Date);
let offsetMs = 0;
const shifted = (): number => now() + offsetMs;

globalThis.Date = new Proxy(Date, {
  construct: (date, given, newTarget) =>
    Reflect.construct(date, given.length === 0 ? [shifted()] : given, newTarget) as object,
  apply: () => new Date(shifted()).toString(),
  get: (date, key) => (key === 'now' ? shifted : Reflect.get(date, key)),
});

export type Question = { readonly shiftClockMs: number } | 'memory';

/** Memory in bytes; with --expose-gc the heap is measured after a full garbage collection. */
export interface Memory {
  readonly heap: number;
  readonly rss: number;
}

process.on('message', (question: Question) => {
  if (question !== 'memory') {
    offsetMs = question.shiftClockMs;
    return;
  }
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, rss } satisfies Memory);
});
// Lets the process end without waiting for messages of its parent.
process.channel?.unref();
process.on('disconnect', () => process.exit());
