import type { Status, StatusCause } from '../kubernetes.ts';

/** The API server refused a request. Decide by `reason`: code 409 alone has four meanings. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** Milliseconds the server asks to wait before another try. */
  readonly retryAfter: number | undefined;
  /** An earlier try of this request had no answer, so the server may have carried it out. */
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
    super(`cannot ${what}: ${reason}: ${cut(status.message ?? 'no message')}`);
    this.code = code;
    this.reason = reason;
    this.causes = status.details?.causes ?? [];
    this.retryAfter = answer.retryAfter;
    this.lostAnswer = answer.lostAnswer ?? false;
  }
}

/** A server repeats what it refuses, which may be the whole of an object. */
const maxMessage = 4096;
const cut = (message: string): string =>
  message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;

/** The cluster could not be reached, or broke off: whether a write was done is not known. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Nothing was sent, for the run's time is over. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Somebody was faster, or the object is another one now: read again and decide again. */
export const isConflict = (error: unknown): boolean =>
  hasReason(error, 'Conflict') &&
  !(error as KubeError).causes.some(({ reason }) => reason === 'FieldManagerConflict');

/** Whether an earlier try of the refused request may have been carried out. */
export const lostAnswer = (error: unknown): boolean =>
  error instanceof KubeError && error.lostAnswer;

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');

/** The pages of a list no longer fit together (410). */
export const isExpired = (error: unknown): boolean =>
  error instanceof KubeError && (error.code === 410 || error.reason === 'Expired');

/** May pass by itself: the same request is worth another try. */
export const isTransient = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.code === 429 || error.code === 408 || (error.code >= 500 && !isUntypable(error))
    : error instanceof UnreachableError;

/**
 * The server has decided: the same request is answered the same before somebody changes something.
 * Not so where it does not know who asks (401): the next token may be a good one.
 */
export const isFinal = (error: unknown): boolean =>
  error instanceof KubeError && !isTransient(error) && !isExpired(error) && error.code !== 401;

/** An apply to an object that does not fit its schema is answered 500, as often as it is sent. */
const isUntypable = ({ message }: KubeError): boolean =>
  message.includes(': failed to create typed ');

const hasReason = (error: unknown, reason: string): boolean =>
  error instanceof KubeError && error.reason === reason;

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
