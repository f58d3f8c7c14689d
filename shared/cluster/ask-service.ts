import { urlToHttpOptions } from 'node:url';
import { exchange } from './http/exchange.ts';
import { lateAnswer, type Received } from './http/http-answer.ts';
import { openAgent, proxyFor } from './http/proxy.ts';
import { within } from './time-limit.ts';

/** More bytes than any token or error needs. */
const most = 256 * 1024;

interface ServiceRequest {
  readonly ms: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string | Uint8Array;
  /** Bypasses the environment's proxy: for a service that runs on this machine. */
  readonly isDirect?: boolean;
}

/**
 * Sends one request to a service of the platform, without retries. `fetch` would do, but takes 15 MiB
 * of memory.
 *
 * Guarantees: an answer that is too large, or that has not arrived after `ms`, is an error.
 */
export async function askService(
  url: string,
  { ms, headers, body, isDirect }: ServiceRequest,
): Promise<Received> {
  const server = new URL(url);
  const proxy = isDirect === true ? undefined : proxyFor(server);
  const options = {
    ...urlToHttpOptions(server),
    method: body === undefined ? 'GET' : 'POST',
    headers,
    // Keeps no socket: the next request comes minutes later, when the connection may be dead.
    agent: openAgent(server.protocol, proxy, { connectMs: ms }),
  };
  return within(
    ms,
    (signal) => exchange(options, body, { bytes: most, ms, connectMs: ms, signal }),
    () => lateAnswer(ms),
  );
}

export const isSuccess = ({ code }: Pick<Received, 'code'>): boolean => code >= 200 && code < 300;
