import { goQuote } from '../go/print.ts';
import { jsonText } from '../json/text.ts';
import { type FieldError, invalid } from './field-error.ts';
import { ApiError, type StatusCause, type StatusDetails } from './status.ts';

/** The subject of an error: a resource in its group, and the object. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly name?: string | undefined;
}

function qualified({ group, plural }: Subject): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf({ group, plural, name }: Subject): StatusDetails {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
  };
}

function quotedName({ name }: Subject): string {
  return name ? ` ${goQuote(name)}` : '';
}

export function notFound(subject: Subject): ApiError {
  return new ApiError({
    message: `${qualified(subject)} ${goQuote(subject.name ?? '')} not found`,
    reason: 'NotFound',
    details: detailsOf(subject),
    code: 404,
  });
}

/** The resource itself is not served. */
export function noSuchResource(): ApiError {
  return new ApiError({
    message: 'the server could not find the requested resource',
    reason: 'NotFound',
    details: {},
    code: 404,
  });
}

export function alreadyExists(
  subject: Subject,
  options: { readonly deleting: boolean; readonly generated: boolean },
): ApiError {
  const before = options.deleting ? 'object is being deleted: ' : '';
  const after = options.generated
    ? ', the server was not able to generate a unique name for the object'
    : '';
  return new ApiError({
    message: `${before}${qualified(subject)}${quotedName(subject)} already exists${after}`,
    reason: 'AlreadyExists',
    details: { ...detailsOf(subject), ...(options.generated ? { retryAfterSeconds: 1 } : {}) },
    code: 409,
  });
}

export function conflict(subject: Subject, why: string, causes?: readonly StatusCause[]): ApiError {
  return new ApiError({
    message: `Operation cannot be fulfilled on ${qualified(subject)}${quotedName(subject)}: ${why}`,
    reason: 'Conflict',
    details: { ...detailsOf(subject), ...(causes ? { causes } : {}) },
    code: 409,
  });
}

export const staleMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

/** Another field manager owns fields that an apply without force would change. */
export function applyConflict(message: string, causes: readonly StatusCause[]): ApiError {
  return new ApiError({ message, reason: 'Conflict', details: { causes }, code: 409 });
}

/** The object is invalid; names the kind, not the resource. */
export function invalidObject(
  subject: { readonly group: string; readonly kind: string; readonly name?: string | undefined },
  errors: readonly FieldError[],
): ApiError {
  const { group, kind, name = '' } = subject;
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError({
    message: `${group === '' ? kind : `${kind}.${group}`} ${JSON.stringify(name)} is invalid${texts.length === 0 ? '' : `: ${list}`}`,
    reason: 'Invalid',
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
    },
    code: 422,
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError({ message, reason: 'BadRequest', code: 400 });
}

export function forbiddenRequest(
  subject: Subject,
  why: string,
  causes?: readonly StatusCause[],
): ApiError {
  return new ApiError({
    message: `${qualified(subject)}${quotedName(subject)} is forbidden: ${why}`,
    reason: 'Forbidden',
    details: { ...detailsOf(subject), ...(causes ? { causes } : {}) },
    code: 403,
  });
}

/** The body and the URL of a request name different objects. */
export function unnamed(name: string): ApiError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** The body and the URL of a request name different namespaces. */
export function otherNamespace(): ApiError {
  return badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

export function unauthorized(): ApiError {
  return new ApiError({ message: 'Unauthorized', reason: 'Unauthorized', code: 401 });
}

export function methodNotAllowed(): ApiError {
  return new ApiError({
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });
}

/** The same error in the words of the custom resource handler. */
export function methodNotSupported(subject: Subject, verb: string): ApiError {
  return new ApiError({
    message: `${verb} is not supported on resources of kind ${JSON.stringify(qualified(subject))}`,
    reason: 'MethodNotAllowed',
    details: detailsOf(subject),
    code: 405,
  });
}

/** The resource has none of the requested media types. */
export function notAcceptable(types: readonly string[]): ApiError {
  return new ApiError({
    message: `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`,
    reason: 'NotAcceptable',
    details: {},
    code: 406,
  });
}

/** The resource has none of the requested representations. */
export function notAccepted(types: readonly string[]): ApiError {
  return wrongForm(`only the following media types are accepted: ${types.join(', ')}`);
}

export function wrongForm(message: string): ApiError {
  return new ApiError({ message, reason: 'NotAcceptable', code: 406 });
}

/** A patch of a type that no built-in resource accepts. */
export function unsupportedPatch(): ApiError {
  return new ApiError({
    message: '415: Unsupported Media Type',
    reason: 'UnsupportedMediaType',
    details: {},
    code: 415,
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError({
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    reason: 'UnsupportedMediaType',
    code: 415,
  });
}

export function tooLarge(limit: number): ApiError {
  return entityTooLarge(`limit is ${limit}`);
}

/** A JSON patch with too many operations. */
export function tooManyOperations(limit: number, given: number): ApiError {
  return entityTooLarge(`The allowed maximum operations in a JSON patch is ${limit}, got ${given}`);
}

function entityTooLarge(why: string): ApiError {
  return new ApiError({
    message: `Request entity too large: ${why}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  });
}

/** A failure without a reason, for errors that the server does not classify. */
export function internal(message: string): ApiError {
  return new ApiError({ message, code: 500 });
}

/** An internal error that the client did not cause. */
export function failedInside(why: string): ApiError {
  return new ApiError({
    message: `Internal error occurred: ${why}`,
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
    code: 500,
  });
}

/** A feature that this server lacks, by name. */
export function notImplemented(gap: string): ApiError {
  return new ApiError({
    message: `not implemented by the local cluster: ${gap}`,
    reason: 'NotImplemented',
    code: 501,
  });
}

export function expired(message: string, next?: string): ApiError {
  return new ApiError({ message, reason: 'Expired', code: 410 }, next);
}

/** A resourceVersion that the server has not reached. */
export function futureVersion(requested: number, current: number): ApiError {
  return new ApiError({
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    code: 504,
  });
}

/** A patch whose result cannot be decoded; names no object. */
export function badPatch(patched: unknown, why: string): ApiError {
  return invalidObject({ group: '', kind: '' }, [invalid('patch', jsonText(patched), why)]);
}
