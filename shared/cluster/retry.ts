import pRetry, { AbortError } from 'p-retry';
import {
  isConflict,
  isDenied,
  isTransient,
  KubeError,
  UnreachableError,
} from './cluster-errors.ts';

/**
 * Runs `attempt` until it meets no conflict, at most `tries` times, about 10 ms apart (like client-go's
 * DefaultRetry).
 *
 * Flow: `attempt` must read the object, decide and write; it is called again after a conflict.
 * Guarantees: only conflicts are retried; the last error is thrown unchanged.
 */
export const retryOnConflict = <T>(
  attempt: (attemptNumber: number) => Promise<T>,
  tries = 5,
): Promise<T> =>
  pRetry(attempt, {
    retries: tries - 1,
    minTimeout: 10,
    maxTimeout: 11,
    factor: 1,
    randomize: true,
    shouldRetry: ({ error }) => isConflict(error),
  });

interface RetryOptions {
  /** In milliseconds since the epoch; no attempt begins after it. */
  readonly deadline: number;
  /** Delay before the second attempt, doubled before each further one; default 100. */
  readonly backoffMs?: number | undefined;
  /** Default: every error but a `final` one. */
  readonly isTransient?: (error: unknown) => boolean;
}

/**
 * Runs `attempt` again after a transient error, at most four times.
 *
 * Guarantees: Retry-After is respected; if it ends after the deadline, the error is thrown. The last error is thrown
 * unchanged.
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
      const asked = error instanceof KubeError ? error.retryAfter : undefined;
      const wait = asked ?? (isDenied(error) ? 10 * backoffMs : 0);
      if (wait === 0 || retriesLeft === 0 || !isTransient(error)) return;
      if (Date.now() + wait > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    },
    shouldRetry: ({ error, retryDelay }) =>
      isTransient(error) && Date.now() + retryDelay < deadline,
  });

/** Makes `retry` throw this error at once. */
export const final = (error: Error): Error => new AbortError(error);

/**
 * Retries a request while the failure is transient and time is left. With `mayBeLoading`, retries a request
 * that an authorizer denied once, a second later. Safe for writes, because each has a lock: if the first
 * attempt was carried out and its answer lost, the second one is refused, by a conflict or by the failed test
 * of a JSON patch (422). Marks such a refusal as `lostAnswer`.
 */
export function retryTransient<T>(
  send: () => Promise<T>,
  { mayBeLoading = true, ...options }: Omit<RetryOptions, 'isTransient'> & Denials,
): Promise<T> {
  let maybeDone = false;
  let denials = 0;
  const attempt = async (): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      maybeDone ||= isUncertain(error);
      if (isDenied(error)) denials++;
      if (maybeDone && error instanceof KubeError) error.lostAnswer = true;
      throw error;
    }
  };
  const isAgain = (error: unknown): boolean =>
    isTransient(error) || (mayBeLoading && isDenied(error) && denials === 1);
  return retry(attempt, { ...options, isTransient: isAgain });
}

interface Denials {
  /** False if the run knows that the right is missing. Default: true. */
  readonly mayBeLoading?: boolean;
}

/** Reports whether the request may have been carried out in spite of the error. */
const isUncertain = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof KubeError && error.code >= 500);
