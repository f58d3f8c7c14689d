import { expect, test } from 'vitest';
import { within } from '../../shared/cluster/time-limit.ts';

test.each([5, -5])('an act that ignores its signal ends after %d ms', async (ms) => {
  let signal: AbortSignal | undefined;
  const act = (given: AbortSignal): Promise<never> => {
    signal = given;
    return new Promise(() => undefined);
  };
  await expect(within(ms, act, () => new Error('late'))).rejects.toThrow('late');
  expect(signal?.aborted).toBe(true);
});
