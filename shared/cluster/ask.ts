import { urlToHttpOptions } from 'node:url';
import { lateAnswer, type Received } from './http/answer.ts';
import { exchange } from './http/exchange.ts';
import { openAgent, proxyFor } from './http/proxy.ts';
import { within } from './time-limit.ts';

/** More than any token or error needs. */
const most = 256 * 1024;

export interface Question {
  readonly ms: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string | Uint8Array;
  /** Ignores the proxy of the environment, as for a service of this machine. */
  readonly isDirect?: boolean;
}

/**
 * Asks a service of the platform, once. `fetch` would do it, but takes 15 MiB of memory.
 *
 * Guarantees: an error, if the answer is larger than any of these services gives or not there after `ms`.
 */
export async function ask(
  url: string,
  { ms, headers, body, isDirect }: Question,
): Promise<Received> {
  const server = new URL(url);
  const proxy = isDirect === true ? undefined : proxyFor(server);
  const options = {
    ...urlToHttpOptions(server),
    method: body === undefined ? 'GET' : 'POST',
    headers,
    // The next question comes minutes later, when a kept socket may lead nowhere.
    agent: openAgent(server.protocol, proxy, { connectMs: ms }),
  };
  return within(
    ms,
    (signal) => exchange(options, body, { bytes: most, ms, connectMs: ms, signal }),
    () => lateAnswer(ms),
  );
}

export const isSuccess = ({ code }: Pick<Received, 'code'>): boolean => code >= 200 && code < 300;
