import { MalformedError } from '../audit/json-text.ts';
import { messageOf, OversizedError, RequestError } from '../cluster/cluster-errors.ts';

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** With `transient` or `busy`, the same request may succeed later; with `busy`, no run was begun. */
  readonly kind: 'invalid' | 'busy' | 'transient' | 'unexpected';
  readonly isLogged: boolean;

  constructor(
    kind: RequestFailure['kind'],
    message: string,
    { isLogged = false, ...options }: ErrorOptions & { readonly isLogged?: boolean } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.isLogged = isLogged;
  }
}

export const listsFailed = (incomplete: readonly { readonly error: string }[]): RequestFailure =>
  new RequestFailure('transient', [...new Set(incomplete.map(({ error }) => error))].join('; '));

export function failureOf(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  if (error instanceof MalformedError)
    return new RequestFailure('invalid', `the body is ${error.message}`);
  // A missing permission counts as transient, because it may be granted.
  const isTransient = error instanceof RequestError && !(error instanceof OversizedError);
  return new RequestFailure(isTransient ? 'transient' : 'unexpected', messageOf(error));
}
