import type { Status, StatusCause } from '../kubernetes.ts';
import { truncate } from '../printable.ts';

/** Sorts the causes and omits the server's own port, so that the same refusal does not look new. */
function messageIn({ message = '', details = {}, reason }: Partial<Status>): string {
  const { causes = [], kind, group, name } = details;
  const isComplete = causes.every(({ field, message: text }) => field && text);
  if (reason !== 'Invalid' || causes.length < 2 || name === undefined || !isComplete) {
    // A webhook may give reasons only in causes without a field.
    const unsaid = causes.flatMap(({ field, message: text = '' }) =>
      field || message.includes(text) ? [] : [text],
    );
    const whole = [message, ...new Set(unsaid.toSorted())].join('; ');
    return whole.replace(/\b(read|write) (tcp|udp) (\S+):\d+->/g, '$1 $2 $3->');
  }
  const type = [kind, ...(group ? [group] : [])].join('.');
  const texts = new Set(causes.map(({ field, message: text }) => `${field}: ${text}`));
  return `${type} "${name}" is invalid: [${[...texts].toSorted().join(', ')}]`;
}

export abstract class RequestError extends Error {}

/** A refusal by the API server. Compare `reason`, because code 409 has several meanings. */
export class KubeError extends RequestError {
  override readonly name = 'KubeError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** The type that the server names: a plural, such as `namespaces`; if the reason is Invalid, a kind. */
  readonly resource: string | undefined;
  /** In milliseconds. */
  readonly retryAfter: number | undefined;
  /** True if the server may have carried out the request: an attempt got a 5xx or no response. */
  lostResponse: boolean;
  /** True for a write that got the same 500 three times, although its object could be read. */
  repeated = false;

  constructor(
    what: string,
    response: {
      readonly code: number;
      readonly status: Partial<Status>;
      readonly retryAfter?: number;
      readonly lostResponse?: boolean;
    },
  ) {
    const { code, status } = response;
    const reason = status.reason ?? `HTTP ${code}`;
    // Truncates the message, because it may quote a whole object.
    const texts = new Set([reason, truncate(messageIn(status), 4096)]);
    super(`cannot ${what}: ${[...texts].filter(Boolean).join(': ')}`);
    this.code = code;
    this.reason = reason;
    this.causes = status.details?.causes ?? [];
    this.resource = status.details?.kind;
    this.retryAfter = response.retryAfter;
    this.lostResponse = response.lostResponse ?? false;
  }
}

/** Compares the name, because a deployed function's telemetry and recorder bundles have KubeError classes of their own. */
export const isKubeError = (error: unknown): error is KubeError =>
  error instanceof Error && error.name === 'KubeError';

/** No valid response came. A write may have been carried out. */
export class UnreachableError extends RequestError {
  override readonly name = 'UnreachableError';
}

/** A response beyond the size limit, which the same request would get again. */
export class OversizedError extends RequestError {
  override readonly name = 'OversizedError';
}

export const malformed = (what: string, why: string): UnreachableError =>
  new UnreachableError(
    `cannot ${what}: the response is malformed (${why}); does the cluster's address lead to an API server?`,
  );

/** A deadline passed before a request was sent or a wait ended. */
export class DeadlineError extends RequestError {
  override readonly name = 'DeadlineError';
}

/** Credentials, or the address of a cluster or proxy, cannot be used. */
export class CredentialsError extends RequestError {
  override readonly name = 'CredentialsError';
}

/** Reports whether the caller must read and decide again. */
export const isConflict = (error: unknown): boolean =>
  hasReason(error, 'Conflict') &&
  !error.causes.some(({ reason }) => reason === 'FieldManagerConflict');

export const lostResponse = (error: unknown): boolean =>
  error instanceof KubeError && error.lostResponse;

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');

/** Throws every error but NotFound, which a list gets if the type is not served. */
export function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** A 401 is not final: the next token may be valid. */
export const isUnauthorized = (error: unknown): boolean => hasReason(error, 'Unauthorized');
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden');
/** Reports whether admission refused the request. A missing permission has a type and no causes. */
export const isDenied = (error: unknown): boolean =>
  hasReason(error, 'Forbidden') && (error.resource === undefined || error.causes.length > 0);
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');

export const isExpired = (error: unknown): boolean =>
  error instanceof KubeError && (error.code === 410 || error.reason === 'Expired');

export const isTransient = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.code === 429 || error.code === 408 || (error.code >= 500 && !error.repeated)
    : error instanceof UnreachableError;

export const isUnanswered = (error: unknown): boolean =>
  error instanceof KubeError
    ? error.code === 429
    : error instanceof UnreachableError || error instanceof DeadlineError;

/** Reports whether a repeated request would fail in the same way. */
export const isFinal = (error: unknown): boolean =>
  error instanceof OversizedError ||
  (error instanceof KubeError &&
    !isTransient(error) &&
    !isExpired(error) &&
    !isUnauthorized(error));

const hasReason = (error: unknown, reason: string): error is KubeError =>
  isKubeError(error) && error.reason === reason;

/** Joins the messages of an AggregateError, which Node throws if all addresses of a host fail. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
