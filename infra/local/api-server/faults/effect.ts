import {
  conflict,
  expired,
  failedInside,
  noSuchResource,
  staleMessage,
} from '../errors/api-errors.ts';
import { ApiError } from '../errors/status.ts';
import { type Answer, statusAnswer, textAnswer } from '../representations/answer.ts';
import type { FaultEffect, FaultTarget } from './fault.ts';

/** Builds the answer of a status fault, in the words of the real server. */
export function faultAnswer(
  effect: Extract<FaultEffect, { kind: 'status' }>,
  { group, resource, name }: FaultTarget,
): Answer {
  const { code, retryAfter } = effect;
  const headers =
    retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } };
  // Overload is answered in plain text, because no Status is built yet.
  if (code === 429) {
    return {
      ...textAnswer(429, 'Too many requests, please try again later.'),
      headers: { 'retry-after': String(retryAfter ?? 1) },
    };
  }
  const subject = { group, plural: resource, name };
  return { ...statusAnswer(failure(code, subject).status), ...headers };
}

function failure(
  code: Exclude<Extract<FaultEffect, { kind: 'status' }>['code'], 429>,
  subject: { group: string; plural: string; name: string },
): ApiError {
  switch (code) {
    case 404:
      return noSuchResource();
    case 409:
      return conflict(subject, staleMessage);
    case 410:
      return expired(
        'The provided continue parameter is too old to display a consistent list result.',
      );
    case 500:
      return failedInside('etcdserver: request timed out');
    case 503:
      return new ApiError({
        message: 'the server is currently unable to handle the request',
        reason: 'ServiceUnavailable',
        code: 503,
      });
    case 504:
      return new ApiError({
        message:
          'Timeout: request did not complete within requested timeout - context deadline exceeded',
        reason: 'Timeout',
        details: {},
        code: 504,
      });
  }
}
