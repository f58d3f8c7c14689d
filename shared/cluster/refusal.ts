import type { Dispatcher } from 'undici';
import type { Status } from '../kubernetes.ts';
import { echoMask } from './echoed.ts';
import { KubeError } from './errors.ts';

interface Refused {
  readonly what: string;
  /** The header that was sent. */
  readonly authorization: string | undefined;
}

/**
 * The error of an answer from 400 on. Not every one is a Status: too many requests, for one, is answered
 * in plain text.
 */
export function refusal(
  { what, authorization }: Refused,
  response: Dispatcher.ResponseData,
  text: string,
): KubeError {
  const mask = echoMask(authorization);
  const after = Number(response.headers['retry-after']);
  const code = response.statusCode;
  const status = parseStatus(text, mask) ?? {
    message: mask(text).trim().slice(0, 200),
    reason: reasonOf(code),
  };
  const seconds = Number.isFinite(after) && after > 0 ? after : status.details?.retryAfterSeconds;
  return new KubeError(what, {
    code,
    status,
    ...(seconds === undefined ? {} : { retryAfter: seconds * 1000 }),
  });
}

function parseStatus(text: string, mask: (text: string) => string): Partial<Status> | undefined {
  try {
    const value = JSON.parse(text, (_, one: unknown) =>
      typeof one === 'string' ? mask(one) : one,
    ) as Partial<Status> | null;
    return value?.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}

const reasonOf = (code: number): string =>
  ({ 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 429: 'TooManyRequests' })[code] ??
  `HTTP ${code}`;
