import {
  CredentialsError,
  DeadlineError,
  KubeError,
  messageOf,
  UnreachableError,
} from '../cluster/cluster-errors.ts';

/** The error for an invalid request. Repeating does not help. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** The error if too many requests are waiting. Repeating may help. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** The error of a failed run for the requests that joined it. The request that began the run logs the failure. */
export class SharedError extends Error {
  override readonly name = 'SharedError';
}

/** The error if all clusters failed; each failure is logged already. */
export class ClustersFailedError extends Error {
  override readonly name = 'ClustersFailedError';
}

/** The error if kinds or child types could not be listed, so nothing was done for them. Repeating may help. */
export class ListsFailedError extends Error {
  override readonly name = 'ListsFailedError';

  constructor(incomplete: readonly { readonly error: string }[]) {
    super([...new Set(incomplete.map(({ error }) => error))].join('; '));
  }
}

/** The error if a run ended before all resources of a delivery were reconciled. Repeating may help. */
export class UnfinishedError extends Error {
  override readonly name = 'UnfinishedError';
}

/** What a failure means for the request, whatever the protocol. */
export interface RequestFailure {
  /** `transient` and `busy`: the same request may succeed later. With `busy`, no run was begun. */
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
