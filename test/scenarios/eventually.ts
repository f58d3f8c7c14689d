import { setTimeout as pause } from 'node:timers/promises';

const deadlineMs = 60_000;
const longestPauseMs = 250;

/** Repeats `attempt` until it no longer throws; rejects with its last error at the deadline. */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  deadline = deadlineMs,
): Promise<T> {
  const end = Date.now() + deadline;
  for (let wait = 20; ; wait = Math.min(wait * 1.5, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() + wait > end) throw error;
    }
    await pause(wait);
  }
}
