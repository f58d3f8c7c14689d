import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Body } from '../../body.ts';
import { OversizedError } from '../cluster-errors.ts';

export interface ResponseLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Enough for an object of 1.5 MiB, the maximum in etcd, even if escapes make it six times as large. */
export const responseLimits: ResponseLimits = { bytes: 10 * 1024 * 1024, ms: 60_000 };

export interface Received {
  readonly code: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: Buffer;
  /** Received, before decompression. */
  readonly bytes: number;
}

/**
 * Sends one request and receives its response.
 *
 * Guarantees: ends within the limits, whatever the server does, and then occupies no socket. Errors quote no response.
 */
export const exchange = (
  options: RequestOptions,
  body: string | Uint8Array | undefined,
  { bytes, ms, signal }: ResponseLimits & { signal?: AbortSignal | undefined },
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const request = (options.protocol === 'https:' ? requestHttps : requestHttp)(options);
    // Sets the content-length only for DELETE, because Node itself sets it for POST and PATCH.
    if (body !== undefined && options.method === 'DELETE')
      request.setHeader('content-length', Buffer.byteLength(body));
    const late = setTimeout(() => fail(lateResponse(ms)), ms);
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
      .on('response', (response) => {
        receive(response, bytes).then((received) => {
          release();
          resolve(received);
          // Closes the socket if the server has not read the whole request, or the response was not read to its end.
          if (!response.complete || !request.writableFinished) request.destroy();
        }, fail);
      })
      .on('timeout', () => fail(new Error(`it was silent for ${(options.timeout ?? 0) / 1000} s`)))
      .on('error', fail)
      // Reports an error, because without a listener Node closes the connection without one.
      .on('upgrade', (_, socket) => {
        socket.destroy();
        fail(new Error('it switches protocols'));
      })
      .end(body);
  });

/** Limits the body before and after it is inflated. */
async function receive(response: IncomingMessage, limit: number): Promise<Received> {
  const { statusCode: code = 0, headers } = response;
  const raw = await receiveBody(response, limit);
  const body = headers['content-encoding'] === 'gzip' ? await unpack(raw, limit) : raw;
  return { code, headers, body, bytes: raw.length };
}

/** Uses events: with an iterator, a request takes a sixth longer. */
const receiveBody = (response: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const body = new Body();
    const declared = Number(response.headers['content-length'] ?? 0);
    response
      .on('data', (part: Buffer) => {
        if (Math.max(declared, body.bytes + part.length) > limit) reject(oversized(limit));
        else body.add(part);
      })
      .on('end', () => resolve(body.take()))
      .on('error', () => reject(new Error('its response broke off')));
  });

async function unpack(raw: Buffer, limit: number): Promise<Buffer> {
  try {
    // The API server compresses bodies of more than 128 KiB.
    return await promisify(gunzip)(raw, { maxOutputLength: limit, chunkSize: 256 * 1024 });
  } catch (error) {
    const isTooLarge = (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? oversized(limit) : error;
  }
}

const oversized = (limit: number): OversizedError =>
  new OversizedError(`its response has more than ${limit} bytes`);

export const lateResponse = (ms: number): Error =>
  new DOMException(`its response did not arrive within ${ms / 1000} s`, 'TimeoutError');

/** Removes the unparsed bytes that Node attaches, because they may repeat our credentials. */
function withoutReceived(error: unknown): unknown {
  if (error instanceof Error && 'rawPacket' in error) delete error.rawPacket;
  return error;
}
