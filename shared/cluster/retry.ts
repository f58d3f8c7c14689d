import pRetry, { AbortError } from 'p-retry';
import { isForbidden, KubeError } from './cluster-errors.ts';

export interface RetryOptions {
  /** The time after which no attempt begins, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Time before the second attempt, doubled before each further attempt; default: 100. */
  readonly backoffMs?: number | undefined;
  /** Default: all errors. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** Retries `attempt` up to four times after transient errors. Honours Retry-After, but never exceeds the deadline. */
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

export const final = (error: Error): Error => new AbortError(error);
