/**
 * Preloaded into a function's process (`node --import`): its wall clock can be moved, and its memory
 * asked for, over the IPC channel. Timers and monotonic clocks keep their pace, as they do when the
 * clock of a machine is set.
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

/** Bytes; the heap after a full garbage collection, where the process was started with --expose-gc. */
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
// The channel alone does not keep the process alive, and without its parent it has no purpose.
process.channel?.unref();
process.on('disconnect', () => process.exit());
