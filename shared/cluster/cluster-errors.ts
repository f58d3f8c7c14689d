import type { Status, StatusCause } from '../kubernetes.ts';
import { truncate } from '../printable.ts';

/** The API server refused a request. Decide by `reason`: code 409 alone has four meanings. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** The resource that the answer is about, `namespaces` where the namespace of an object is missing. */
  readonly resource: string | undefined;
  /** Milliseconds the server asks to wait before the next attempt. */
  readonly retryAfter: number | undefined;
  /** An earlier attempt of this request had no answer, so the server may have carried it out. */
  lostAnswer: boolean;

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

/** A server's message repeats what it refuses, which may be the whole object. */
const maxMessage = 4096;

/** The cluster could not be reached or the connection broke: a write may or may not have been carried out. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** An answer exceeds the size limit; the same request would get the same answer. */
export class OversizedError extends Error {
  override readonly name = 'OversizedError';
}

/** An answer that no API server gives; a write may or may not have been carried out. */
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

/** Another writer was first or the object was replaced: read and decide again. */
export const isConflict = (error: unknown): boolean =>
  hasReason(error, 'Conflict') &&
  !(error as KubeError).causes.some(({ reason }) => reason === 'FieldManagerConflict');

/** Whether an earlier attempt of a refused request may have been carried out. */
export const lostAnswer = (error: unknown): boolean =>
  error instanceof KubeError && error.lostAnswer;

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');
/** For a list: a type that is not served has no objects. */
export function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');

/** The continue token of a list has expired (410). */
export const isExpired = (error: unknown): boolean =>
  error instanceof KubeError && (error.code === 410 || error.reason === 'Expired');

/** Whether the same request may succeed if it is sent again. */
export const isTransient = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.code === 429 || error.code === 408 || (error.code >= 500 && !isUntypable(error))
    : error instanceof UnreachableError;

/**
 * Whether the same request gets the same answer until something is changed. A 401 is not final, as the
 * next token may be valid.
 */
export const isFinal = (error: unknown): boolean =>
  error instanceof OversizedError ||
  (error instanceof KubeError && !isTransient(error) && !isExpired(error) && error.code !== 401);

/** The API server answers 500 to every apply of an object that does not fit its schema. */
const isUntypable = ({ message }: KubeError): boolean =>
  message.includes(': failed to create typed ');

const hasReason = (error: unknown, reason: string): boolean =>
  error instanceof KubeError && error.reason === reason;

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
