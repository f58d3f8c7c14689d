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
 * `attempt` must read the object, decide and write, because all of that is repeated. Guarantees: only
 * conflicts are retried. The last error is thrown unchanged.
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
  /** The deadline in milliseconds since the epoch, after which no attempt begins. */
  readonly deadline: number;
  /** Delay before the second attempt in milliseconds, doubled before each further one; default: 100. */
  readonly backoffMs?: number | undefined;
  /** Reports whether to retry after an error; default: after any that is not `final`. */
  readonly isTransient?: (error: unknown) => boolean;
}

/**
 * Runs `attempt` again after a transient error, at most four times.
 *
 * Guarantees: waits for Retry-After; if that is after the deadline, throws the error instead. The last error
 * is thrown unchanged.
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
 * Retries a request while the failure is transient and there is time. With `mayBeLoading` (the default), also
 * retries a denied request once, a second later, because RBAC may not be loaded yet.
 *
 * Safe for writes, because each has a lock: if the first attempt was carried out and its response lost, the
 * second is refused by a conflict, or by the failed test of a JSON patch (422). Marks such a refusal as
 * `lostResponse`.
 */
export function retryTransient<T>(
  send: () => Promise<T>,
  {
    mayBeLoading = true,
    ...options
  }: Omit<RetryOptions, 'isTransient'> & { readonly mayBeLoading?: boolean },
): Promise<T> {
  let maybeDone = false;
  let denials = 0;
  const attempt = async (): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      maybeDone ||= isUncertain(error);
      if (isDenied(error)) denials++;
      if (maybeDone && error instanceof KubeError) error.lostResponse = true;
      throw error;
    }
  };
  const isAgain = (error: unknown): boolean =>
    isTransient(error) || (mayBeLoading && isDenied(error) && denials === 1);
  return retry(attempt, { ...options, isTransient: isAgain });
}

/** Reports whether the request may have been carried out despite the error. */
const isUncertain = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof KubeError && error.code >= 500);
