import { vi } from 'vitest';

/**
 * Makes timers fire in the next turn of the event loop, because races would otherwise wait before thousands of
 * retries; returns a function that restores the timers.
 */
export function skipPauses(): () => void {
  vi.stubGlobal(
    'setTimeout',
    (fire: (...args: unknown[]) => void, _ms: number, ...args: unknown[]) =>
      setImmediate(fire, ...args),
  );
  vi.stubGlobal('clearTimeout', clearImmediate);
  return () => void vi.unstubAllGlobals();
}
