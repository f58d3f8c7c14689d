import {
  CredentialsError,
  DeadlineError,
  KubeError,
  messageOf,
  UnreachableError,
} from '../cluster/cluster-errors.ts';

/** The request is invalid: sending it again does not help. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** Too many requests are waiting; the same request may succeed later. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** The run failed, but another request began it and logs the failure. */
export class SharedError extends Error {
  override readonly name = 'SharedError';
}

/** All clusters failed; each failure is already logged. */
export class ClustersFailedError extends Error {
  override readonly name = 'ClustersFailedError';
}

/** Kinds or types of children could not be listed, so nothing was done for them; the same request may succeed later. */
export class ListsFailedError extends Error {
  override readonly name = 'ListsFailedError';

  constructor(incomplete: readonly { readonly error: string }[]) {
    super([...new Set(incomplete.map(({ error }) => error))].join('; '));
  }
}

/** A run ended before all resources of a delivery were reconciled; the same request may succeed later. */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/** The meaning of a failure for the request, independent of the protocol. */
export interface RequestFailure {
  /** `transient` and `busy`: the same request may succeed later; with `busy` it was not begun at all. */
  readonly kind: 'invalid' | 'busy' | 'transient' | 'unexpected';
  readonly message: string;
  readonly isLogged: boolean;
}

export const failureOf = (error: unknown): RequestFailure => ({
  kind: kindOf(error),
  message: messageOf(error),
  isLogged: error instanceof ClustersFailedError || error instanceof SharedError,
});

function kindOf(error: unknown): RequestFailure['kind'] {
  if (error instanceof InvalidRequestError) return 'invalid';
  if (error instanceof BusyError) return 'busy';
  return transientErrors.some((type) => error instanceof type) ? 'transient' : 'unexpected';
}

const transientErrors = [
  ClustersFailedError,
  SharedError,
  ListsFailedError,
  UnfinishedError,
  UnreachableError,
  DeadlineError,
  KubeError,
  CredentialsError,
];
