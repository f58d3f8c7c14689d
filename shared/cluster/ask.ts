import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { addAbortSignal } from 'node:stream';
import { AnswerBody, lateAnswer, type Received } from './answer.ts';

/** More than any token or error needs. */
const most = 256 * 1024;

/**
 * Asks a service of the platform, once. `fetch` would do it, but takes 15 MiB of memory.
 *
 * Guarantees: an error, if the answer is larger than any of these services gives or not there after `ms`.
 * Caveats: redirects are not followed. The proxy variables of the environment count if Node is to use them.
 */
export async function ask(
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
  const signal = AbortSignal.timeout(ms);
  const request = start(url, {
    method: body === undefined ? 'GET' : 'POST',
    // The next question comes minutes later, when a kept socket may lead nowhere.
    headers: { ...headers, ...length, connection: 'close' },
  });
  // Also after the head: Node reports what is wrong with the body here, too, and a switch of protocols only by a close.
  const broken = new Promise<never>((_, reject) => {
    request.on('error', reject);
    request.on('close', () => reject(new Error('it closed the connection without an answer')));
  });
  broken.catch(() => undefined);
  try {
    request.end(body);
    const [response] = await Promise.race([once(request, 'response', { signal }), broken]);
    return await receive(response, signal);
  } catch (error) {
    throw signal.aborted ? lateAnswer(ms) : withoutReceived(error);
  } finally {
    request.destroy();
  }
}

async function receive(response: IncomingMessage, signal: AbortSignal): Promise<Received> {
  const body = new AnswerBody({ code: response.statusCode ?? 0, headers: response.headers }, most);
  try {
    for await (const part of addAbortSignal(signal, response)) body.add(part);
    return await body.take();
  } catch (error) {
    return body.excess(error);
  }
}

/** Node attaches what it could not parse, which may repeat the credentials that were sent. */
function withoutReceived(error: unknown): unknown {
  if (error instanceof Error && 'rawPacket' in error) delete error.rawPacket;
  return error;
}

export const isSuccess = ({ code }: Pick<Received, 'code'>): boolean => code >= 200 && code < 300;
