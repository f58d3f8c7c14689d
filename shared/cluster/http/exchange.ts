import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import {
  AnswerBody,
  type AnswerLimits,
  type Head,
  lateAnswer,
  type Received,
} from './http-answer.ts';

interface ExchangeLimits extends Pick<AnswerLimits, 'bytes' | 'ms'> {
  /** Time limit for connecting, including the TLS handshake. */
  readonly connectMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one request with Node's client and receives its answer.
 *
 * Guarantees: ends within the limits, whatever the server does, and then occupies no socket. Rejects an
 * answer whose length is ambiguous. An error contains nothing that was received. Caveats: redirects are not
 * followed.
 */
export const exchange = (
  options: RequestOptions,
  body: string | Uint8Array | undefined,
  { bytes, ms, connectMs, signal }: ExchangeLimits,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const request = (options.protocol === 'https:' ? requestHttps : requestHttp)(options);
    // Sets a header that Node sets for every other method.
    if (body !== undefined && options.method === 'DELETE')
      request.setHeader('content-length', Buffer.byteLength(body));
    let isAnswered = false;
    const late = setTimeout(() => fail(lateAnswer(ms)), ms);
    const release = (): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown): void => {
      release();
      reject(withoutReceived(error));
      request.destroy();
    };
    const abort = (): void => fail(signal?.reason);
    signal?.addEventListener('abort', abort);
    request
      .on('socket', (socket) => {
        const connected = eventOf(socket, request.reusedSocket);
        if (connected === undefined) return;
        const why = `there was no connection within ${connectMs / 1000} s`;
        const timer = setTimeout(() => fail(new Error(why)), connectMs);
        const stop = (): void => clearTimeout(timer);
        socket.once(connected, stop);
        request.once('close', stop);
      })
      .on('response', (response) => {
        isAnswered = true;
        // Gives the body as much time as the head had.
        late.refresh();
        receive(response, bytes).then((answer) => {
          release();
          resolve(answer);
          // Closes the socket if the server answered before it read the whole request.
          if (!response.complete || !request.writableFinished) request.destroy();
        }, fail);
      })
      .on('timeout', () => fail(new Error(`it was silent for ${(options.timeout ?? 0) / 1000} s`)))
      .on('error', fail)
      // Node reports a switch of protocols as an event, without an error.
      .on(
        'close',
        () => isAnswered || fail(new Error('it closed the connection without an answer')),
      )
      .end(body);
  });

/** Returns the event after which a new socket can be used; undefined if the socket can be used already. */
function eventOf(socket: Socket, isReused: boolean): string | undefined {
  if (socket instanceof TLSSocket && !isReused) return 'secureConnect';
  return socket.connecting ? 'connect' : undefined;
}

/** Receives the body by events, because an iterator makes a request take a sixth longer. */
const receive = (response: IncomingMessage, limit: number): Promise<Received> =>
  new Promise((resolve, reject) => {
    const body = new AnswerBody(headOf(response), limit);
    response
      .on('data', (part: Buffer) => {
        try {
          body.add(part);
        } catch (error) {
          resolve(body.excess(error));
        }
      })
      .on('end', () => resolve(body.take()))
      .on('error', () => reject(new Error('its answer broke off')));
  });

/** Returns status code and headers. Refuses headers that not all parsers read as Node does (RFC 9112, 6.1). */
function headOf({ statusCode: code = 0, httpVersion, headers }: IncomingMessage): Head {
  if (code < 200 || !httpVersion.startsWith('1.'))
    throw new Error('it does not answer in HTTP/1.1');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    throw new Error('the length of its body is ambiguous');
  return { code, headers };
}

/** Removes the unparsed bytes that Node attaches to an error, because they may repeat our credentials. */
function withoutReceived(error: unknown): unknown {
  if (error instanceof Error && 'rawPacket' in error) delete error.rawPacket;
  return error;
}
