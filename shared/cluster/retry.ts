import pRetry, { AbortError } from 'p-retry';
import { isForbidden, KubeError } from './cluster-errors.ts';

export interface RetryOptions {
  /** The time, in milliseconds since the epoch, after which no further attempt begins. */
  readonly deadline: number;
  /** Minimum time before the second attempt, in ms, doubled before each further one; default: 100. */
  readonly backoffMs?: number | undefined;
  /** Default: every error is transient, unless `final` has wrapped it. */
  readonly isTransient?: (error: unknown) => boolean;
}

/**
 * Runs `attempt`, and repeats it after a transient error up to four times. Waits as long as Retry-After says, but
 * throws the error at once if that is beyond the deadline. Throws the last error unchanged.
 */
export const retry = <T>(
  attempt: () => Promise<T>,
  { deadline, backoffMs = 100, isTransient = () => true }: RetryOptions,
): Promise<T> =>
  pRetry(attempt, {
    retries: 4,
    minTimeout: backoffMs,
    maxTimeout: 20 * backoffMs,
    factor: 2,
    randomize: true,
    async onFailedAttempt({ error, retriesLeft }) {
      const retryAfter = error instanceof KubeError ? error.retryAfter : undefined;
      const wait = retryAfter ?? (isForbidden(error) ? 10 * backoffMs : 0);
      if (wait === 0 || retriesLeft === 0 || !isTransient(error)) return;
      if (Date.now() + wait > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    },
    shouldRetry: ({ error, retryDelay }) =>
      isTransient(error) && Date.now() + retryDelay < deadline,
  });

/** Makes `retry` throw the error without another attempt. */
export const final = (error: Error): Error => new AbortError(error);
