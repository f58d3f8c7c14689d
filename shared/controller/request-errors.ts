import { messageOf, OversizedError, RequestError } from '../cluster/cluster-errors.ts';

/** The error for an invalid request. The same request cannot succeed later. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/**
 * The error for a request that the queue rejects, because too many runs wait or the request waited too long. The
 * same request may succeed later.
 */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** The error of a run that left work undone. The same request may finish the work. */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/**
 * The error for a failure that is logged elsewhere: for another request, or for each cluster. The same request may
 * succeed later.
 */
export class LoggedError extends Error {
  override readonly name = 'LoggedError';
}

export const listsFailed = (incomplete: readonly { readonly error: string }[]): UnfinishedError =>
  new UnfinishedError([...new Set(incomplete.map(({ error }) => error))].join('; '));

export interface RequestFailure {
  /** With `transient` or `busy`, the same request may succeed later; with `busy`, no run was begun. */
  readonly kind: 'invalid' | 'busy' | 'transient' | 'unexpected';
  readonly message: string;
  readonly isLogged: boolean;
}

export const failureOf = (error: unknown): RequestFailure => ({
  kind: kindOf(error),
  message: messageOf(error),
  isLogged: error instanceof LoggedError,
});

function kindOf(error: unknown): RequestFailure['kind'] {
  if (error instanceof InvalidRequestError) return 'invalid';
  if (error instanceof BusyError) return 'busy';
  if (error instanceof LoggedError || error instanceof UnfinishedError) return 'transient';
  // Includes a missing permission, because it may be granted. (`deliver` drops entries whose owner it may not read.)
  const isTransient = error instanceof RequestError && !(error instanceof OversizedError);
  return isTransient ? 'transient' : 'unexpected';
}
