/** The body of an answer without an object: `kind: Status`. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** A request that failed with a Status; thrown anywhere below the HTTP layer. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Omit<Status, 'kind' | 'apiVersion' | 'metadata' | 'status'>, next?: string) {
    super(status.message);
    this.name = 'ApiError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: next === undefined ? {} : { continue: next },
      status: 'Failure',
      ...status,
    };
  }
}
