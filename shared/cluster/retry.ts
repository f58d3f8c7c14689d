import pRetry, { AbortError } from 'p-retry';
import {
  isConflict,
  isDenied,
  isTransient,
  KubeError,
  UnreachableError,
} from './cluster-errors.ts';

/**
 * Runs `attempt`, and repeats it after a conflict up to four times, about 10 ms apart (like client-go's
 * DefaultRetry). `attempt` must read the object, decide and write. Throws any other error, and the last conflict,
 * unchanged.
 */
export const retryOnConflict = <T>(attempt: (attemptNumber: number) => Promise<T>): Promise<T> =>
  pRetry(attempt, {
    retries: 4,
    minTimeout: 10,
    maxTimeout: 11,
    factor: 1,
    randomize: true,
    shouldRetry: ({ error }) => isConflict(error),
  });

export interface RetryOptions {
  /** The time, in milliseconds since the epoch, after which no further attempt begins. */
  readonly deadline: number;
  /** Minimum time before the second attempt, in ms, doubled before each further one; default: 100. */
  readonly backoffMs?: number | undefined;
  /** Reports whether an error is transient. By default every error is, unless `final` has wrapped it. */
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
      const wait = retryAfter ?? (isDenied(error) ? 10 * backoffMs : 0);
      if (wait === 0 || retriesLeft === 0 || !isTransient(error)) return;
      if (Date.now() + wait > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    },
    shouldRetry: ({ error, retryDelay }) =>
      isTransient(error) && Date.now() + retryDelay < deadline,
  });

/** Wraps an error, so that `retry` throws it without another attempt. */
export const final = (error: Error): Error => new AbortError(error);

/**
 * Sends a request, and repeats it after a transient failure (`retry`). With `mayBeLoading` (the default), sends a
 * denied request once more after a second, because RBAC may not be loaded yet.
 *
 * Safe for writes, because each has a lock: if an attempt was carried out and the response lost, the next
 * attempt changes nothing or is refused, for example as a conflict. The error then has `lostResponse`.
 */
export function retryTransient<T>(
  send: () => Promise<T>,
  { mayBeLoading = true, ...options }: RetryOptions & { readonly mayBeLoading?: boolean },
): Promise<T> {
  let mayBeDone = false;
  let denials = 0;
  const attempt = async (): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      const { code = 0 } = error instanceof KubeError ? error : {};
      mayBeDone ||= code >= 500 || error instanceof UnreachableError;
      if (isDenied(error)) denials++;
      if (mayBeDone && error instanceof KubeError) error.lostResponse = true;
      throw error;
    }
  };
  const mayPass = (error: unknown): boolean =>
    isTransient(error) || (mayBeLoading && isDenied(error) && denials === 1);
  return retry(attempt, { ...options, isTransient: mayPass });
}
