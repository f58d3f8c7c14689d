import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Received } from './answer.ts';
import { answerTo } from './transport.ts';

/** More than any token or error needs. */
const most = 256 * 1024;

/**
 * Asks a service of the platform, once. `fetch` would do it, but takes 15 MiB of memory.
 *
 * Guarantees: an error, if the answer is larger than any of these services gives or not there after `ms`.
 * Caveats: redirects are not followed. The proxy variables of the environment count if Node is to use them.
 */
export function ask(
  url: string,
  {
    ms,
    headers,
    body,
  }: {
    readonly ms: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Makes it a POST. */
    readonly body?: string | Uint8Array;
  },
): Promise<Received> {
  const start = url.startsWith('https:') ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = start(url, {
    method: body === undefined ? 'GET' : 'POST',
    // The next question comes minutes later, when a kept socket may lead nowhere.
    headers: { ...headers, ...length, connection: 'close' },
  });
  request.end(body);
  return answerTo(request, { bytes: most, ms }, AbortSignal.timeout(ms));
}

export const isSuccess = ({ code }: Pick<Received, 'code'>): boolean => code >= 200 && code < 300;
