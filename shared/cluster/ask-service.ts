import { urlToHttpOptions } from 'node:url';
import { exchange } from './http/exchange.ts';
import { lateAnswer, type Received } from './http/http-answer.ts';
import { openAgent, proxyFor } from './http/proxy.ts';
import { within } from './time-limit.ts';

/** Limit of an answer in bytes, by default; no token or error needs more. */
const shortAnswer = 256 * 1024;

interface ServiceRequest {
  readonly ms: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; makes the request a POST. */
  readonly body?: string | Uint8Array;
  /** True for a service on this machine, which is reached without the environment's proxy. */
  readonly isDirect?: boolean;
  /** Limit of the answer in bytes; default: 256 KiB. */
  readonly most?: number;
}

/**
 * Sends one request to a service of the platform, without retries. Does not use `fetch`, which takes 15 MiB
 * of memory.
 *
 * Guarantees: rejects if the answer is too large, or has not arrived after `ms`.
 */
export async function askService(
  url: string,
  { ms, headers, body, isDirect, most = shortAnswer }: ServiceRequest,
): Promise<Received> {
  const server = new URL(url);
  const proxy = isDirect === true ? undefined : proxyFor(server);
  const options = {
    ...urlToHttpOptions(server),
    method: body === undefined ? 'GET' : 'POST',
    headers,
    // Keeps no socket, because the next request comes minutes later, when the connection may be dead.
    agent: openAgent(server.protocol, proxy, { connectMs: ms }),
  };
  return within(
    ms,
    (signal) => exchange(options, body, { bytes: most, ms, connectMs: ms, signal }),
    () => lateAnswer(ms),
  );
}

export const isSuccess = ({ code }: Pick<Received, 'code'>): boolean => code >= 200 && code < 300;
