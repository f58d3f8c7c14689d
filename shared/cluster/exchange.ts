import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AnswerBody, type AnswerLimits, type Head, lateAnswer, type Received } from './answer.ts';

export interface ExchangeLimits extends Pick<AnswerLimits, 'bytes' | 'ms'> {
  /** For a connection, including the TLS handshake. */
  readonly connectMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one request with Node's client and receives its answer.
 *
 * Guarantees: it ends within the limits, whatever the server does, and then occupies no socket. An answer that can be
 * read in two ways is an error. An error holds nothing that was received.
 * Caveats: redirects are not followed.
 */
export const exchange = (
  options: RequestOptions,
  body: string | Uint8Array | undefined,
  { bytes, ms, connectMs, signal }: ExchangeLimits,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const request = (options.protocol === 'https:' ? requestHttps : requestHttp)(options);
    // By itself Node gives a DELETE none.
    if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body));
    let timer: NodeJS.Timeout | undefined;
    let isAnswered = false;
    const release = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown): void => {
      release();
      reject(withoutReceived(error));
      request.destroy();
    };
    const abort = (): void => fail(signal?.reason);
    const limit = (time: number, error: () => Error): void => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(error()), time);
    };
    signal?.addEventListener('abort', abort);
    limit(connectMs, () => new Error(`there was no connection within ${connectMs / 1000} s`));
    request
      .on('socket', (socket) =>
        whenConnected(socket, request.reusedSocket, () => limit(ms, () => lateAnswer(ms))),
      )
      .on('response', (response) => {
        isAnswered = true;
        // The body has as long again as what was before it.
        limit(ms, () => lateAnswer(ms));
        receive(response, bytes).then((answer) => {
          release();
          resolve(answer);
          // A server may answer without reading the request, whose rest would wait without a limit.
          if (!request.writableFinished) request.destroy();
        }, fail);
      })
      .on('timeout', () => fail(new Error(`it was silent for ${(options.timeout ?? 0) / 1000} s`)))
      .on('error', fail)
      // Without an error this is how Node reports a switch of protocols.
      .on(
        'close',
        () => isAnswered || fail(new Error('it closed the connection without an answer')),
      )
      .end(body);
  });

function whenConnected(socket: Socket, isReused: boolean, then: () => void): void {
  if (socket instanceof TLSSocket && !isReused) socket.once('secureConnect', then);
  else if (socket.connecting) socket.once('connect', then);
  else then();
}

async function receive(response: IncomingMessage, limit: number): Promise<Received> {
  const body = new AnswerBody(headOf(response), limit);
  try {
    for await (const part of response) body.add(part);
  } catch (error) {
    return body.excess(response.errored === error ? new Error('its answer broke off') : error);
  }
  return body.take();
}

/** Refuses what Node accepts although others read it in another way (RFC 9112, 6.1). */
function headOf({ statusCode: code = 0, httpVersion, headers }: IncomingMessage): Head {
  if (code < 200 || !httpVersion.startsWith('1.'))
    throw new Error('it does not answer in HTTP/1.1');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    throw new Error('the length of its body is ambiguous');
  return { code, headers };
}

/** Node attaches what it could not parse, which may repeat the credentials that were sent. */
function withoutReceived(error: unknown): unknown {
  if (error instanceof Error && 'rawPacket' in error) delete error.rawPacket;
  return error;
}
