import pRetry from 'p-retry';
import { isConflict, isTransient, KubeError, UnreachableError } from './errors.ts';

/**
 * Runs `attempt` until it meets no conflict, at most `tries` times about 10 ms apart (client-go's
 * default is five).
 *
 * Flow: from the second attempt on, `attempt` must read and decide again.
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

/**
 * Sends the same request again while the failure is transient and time is left.
 *
 * Guarantees: Retry-After is respected, unless the time ends before. Safe for writes, as each
 * carries a lock: one that was done although its answer was lost is refused the second time as a
 * conflict, which is marked (`lostAnswer`).
 */
export async function retryTransient<T>(
  send: () => Promise<T>,
  {
    deadline,
    backoffMs = 100,
    onFailure,
  }: {
    readonly deadline: number;
    readonly backoffMs?: number | undefined;
    readonly onFailure: (error: unknown) => void;
  },
): Promise<T> {
  let maybeDone = false;
  try {
    return await pRetry(send, {
      retries: 4,
      minTimeout: backoffMs,
      maxTimeout: 20 * backoffMs,
      factor: 2,
      randomize: true,
      async onFailedAttempt({ error, retriesLeft }) {
        onFailure(error);
        maybeDone ||= isUncertain(error);
        const wait = error instanceof KubeError ? (error.retryAfter ?? 0) : 0;
        if (wait === 0 || retriesLeft === 0 || !isTransient(error)) return;
        if (Date.now() + wait > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      },
      shouldRetry: ({ error, retryDelay }) =>
        isTransient(error) && Date.now() + retryDelay < deadline,
    });
  } catch (error) {
    if (maybeDone && error instanceof KubeError && isConflict(error)) error.lostAnswer = true;
    throw error;
  }
}

/** The request may have been carried out all the same. */
const isUncertain = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof KubeError && error.code >= 500);
