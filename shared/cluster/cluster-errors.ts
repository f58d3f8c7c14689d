import type { Status, StatusCause } from '../kubernetes.ts';
import { truncate } from '../printable.ts';

/** The API server refused a request. Decide by `reason`: code 409 alone has four meanings. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** The resource that the answer is about: `namespaces` if an object's namespace does not exist. */
  readonly resource: string | undefined;
  /** Milliseconds the server asks to wait before the next attempt. */
  readonly retryAfter: number | undefined;
  /** True if an earlier attempt of this request got no answer: the server may have carried it out. */
  lostAnswer: boolean;
  /** True once the server has answered the same write several times in the same way. */
  repeated = false;

  constructor(
    what: string,
    answer: {
      readonly code: number;
      readonly status: Partial<Status>;
      readonly retryAfter?: number;
      readonly lostAnswer?: boolean;
    },
  ) {
    const { code, status } = answer;
    const reason = status.reason ?? `HTTP ${code}`;
    super(`cannot ${what}: ${reason}: ${truncate(status.message ?? 'no message', maxMessage)}`);
    this.code = code;
    this.reason = reason;
    this.causes = status.details?.causes ?? [];
    this.resource = status.details?.kind;
    this.retryAfter = answer.retryAfter;
    this.lostAnswer = answer.lostAnswer ?? false;
  }
}

/** Limits the server's message, because it repeats what was refused, possibly a whole object. */
const maxMessage = 4096;

/** The cluster could not be reached or the connection broke: a write may or may not have been carried out. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** An answer exceeds the size limit; the same request would get the same answer. */
export class OversizedError extends Error {
  override readonly name = 'OversizedError';
}

/** Makes the error for an answer that no API server gives; a write may or may not have been carried out. */
export const malformed = (what: string, why: string | undefined): UnreachableError =>
  new UnreachableError(
    `cannot ${what}: the answer is malformed (${why}); is there an API server at this address?`,
  );

/** Nothing was sent, because the run's deadline has passed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** The environment does not name a usable cluster or proxy; the error names the variable and the remedy. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** Reports whether another writer was first or the object was replaced: read and decide again. */
export const isConflict = (error: unknown): boolean =>
  hasReason(error, 'Conflict') &&
  !(error as KubeError).causes.some(({ reason }) => reason === 'FieldManagerConflict');

/** Reports whether an earlier attempt of a refused request may have been carried out. */
export const lostAnswer = (error: unknown): boolean =>
  error instanceof KubeError && error.lostAnswer;

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');
/** Ignores NotFound and throws any other error. For lists: a type that is not served has no objects. */
export function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden');
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');

/** Reports whether the continue token of a list has expired (410). */
export const isExpired = (error: unknown): boolean =>
  error instanceof KubeError && (error.code === 410 || error.reason === 'Expired');

/** Reports whether the same request may succeed if it is sent again. */
export const isTransient = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.code === 429 || error.code === 408 || (error.code >= 500 && !error.repeated)
    : error instanceof UnreachableError;

/** Reports whether an authorizer refused. After a restart or a change of RBAC it may not know the rights yet. */
export const isDenied = (error: unknown): boolean =>
  error instanceof KubeError &&
  error.code === 403 &&
  error.message.includes(' is forbidden: User "');

/** Reports whether the server's verdict is unknown: it was too busy (429), or did not answer in time. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.code === 429
    : error instanceof UnreachableError || error instanceof DeadlineError;

/**
 * Reports whether the same request gets the same answer until something changes. A 401 is not final,
 * because the next token may be valid.
 */
export const isFinal = (error: unknown): boolean =>
  error instanceof OversizedError ||
  (error instanceof KubeError && !isTransient(error) && !isExpired(error) && error.code !== 401);

/**
 * Reports whether the server failed without a reason, as for an object that it cannot convert or that is
 * too large for etcd. A failed webhook has the reason InternalError.
 */
export const isUnexplained = (error: unknown): error is KubeError =>
  error instanceof KubeError && hasReason(error, 'HTTP 500');

const hasReason = (error: unknown, reason: string): boolean =>
  error instanceof KubeError && error.reason === reason;

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
