import { badRequest } from '../errors/errors.ts';
import { durationProblem } from './duration.ts';
import type { RequestInfo } from './request-info.ts';

/** Refuses a timeout that cannot be read; a watch does not look at it. */
export const assertTimeout = (query: URLSearchParams, info: RequestInfo | undefined): void => {
  const timeout = query.get('timeout') ?? '';
  if (timeout === '' || info?.verb === 'watch') return;
  const problem = durationProblem(timeout);
  if (problem !== undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
};
