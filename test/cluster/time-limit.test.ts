import { expect, onTestFinished, test, vi } from 'vitest';
import { withinUntil } from '../../shared/cluster/time-limit.ts';

const forever = (): Promise<never> => new Promise(() => undefined);

test('a call that begins after the time limit fails, too, even while another one ignores the signal', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const within = withinUntil(Date.now() + 1000);
  const late = () => new Error('late');
  const first = expect(within(forever, late)).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(1000);
  await first;
  let ended = false;
  const second = within(forever, late).catch(() => (ended = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ended).toBe(true);
  await second;
});
