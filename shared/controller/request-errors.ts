import { messageOf, OversizedError, RequestError } from '../cluster/cluster-errors.ts';

/** The same request cannot succeed later. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** Too many runs wait, or the request waited too long. The same request may succeed later. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** A run left work undone, which the same request may finish. */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/** A failure that is logged elsewhere. The same request may succeed later. */
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
  // A missing permission counts, because it may be granted.
  const isTransient = error instanceof RequestError && !(error instanceof OversizedError);
  return isTransient ? 'transient' : 'unexpected';
}
