import type { Settings } from './engine.ts';

/** Settles for this many simulated seconds, and calls `during` in each pause. */
export function settlingFor(
  settleSeconds: number,
  during: (ms: number) => Promise<unknown> = async () => undefined,
): Pick<Settings, 'settleSeconds' | 'now' | 'wait'> {
  let waited = 0;
  return {
    settleSeconds,
    now: () => new Date(Date.now() + waited),
    async wait(ms) {
      waited += ms;
      await during(ms);
    },
  };
}
