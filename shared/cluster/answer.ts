import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Body } from '../body.ts';
import { OversizedError } from './errors.ts';

export interface AnswerLimits {
  /** For one answer, both compressed and decompressed. */
  readonly bytes: number;
  /** For a page of a list that may be requested again in smaller pages. */
  readonly pageBytes: number;
  /** How long it may take to begin, and then its body to arrive. */
  readonly ms: number;
}

/**
 * etcd stores objects of up to 1.5 MiB, which take six times as much in JSON if every character is
 * escaped. A page of 500 ordinary objects has 2 to 5 MiB.
 */
export const answerLimits: AnswerLimits = {
  bytes: 16 * 1024 * 1024,
  pageBytes: 8 * 1024 * 1024,
  ms: 60_000,
};

/** An answer, its body decompressed. */
export interface Received {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Of the body, compressed if it was sent so. */
  readonly bytes: number;
}

/**
 * Receives an answer. An error answer counts by its status code, even if its body is too large.
 *
 * Guarantees: keeps at most twice the limit, whatever is sent.
 * Caveats: if it throws, the request has to be destroyed.
 */
export async function receive(response: IncomingMessage, limit: number): Promise<Received> {
  const { statusCode: code = 0, headers } = response;
  try {
    if (Number(headers['content-length'] ?? 0) > limit) throw oversized(limit);
    const raw = await collect(response, limit);
    const isPacked = headers['content-encoding'] === 'gzip';
    const body = isPacked ? await unpack(raw, limit) : raw;
    return { code, headers, body, bytes: raw.length };
  } catch (error) {
    if (!(error instanceof OversizedError && code >= 400)) throw error;
    response.destroy();
    return { code, headers, body: Buffer.alloc(0), bytes: limit };
  }
}

const collect = (response: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const received = new Body();
    response.on('data', (chunk: Buffer) => {
      received.add(chunk);
      if (received.bytes > limit) reject(oversized(limit));
    });
    response.on('end', () => resolve(received.take()));
    response.on('error', () => reject(new Error('its answer broke off')));
  });

export const lateAnswer = ({ ms }: Pick<AnswerLimits, 'ms'>): Error =>
  new Error(`its answer did not arrive within ${ms / 1000} s`);

const inflate = promisify(gunzip);

async function unpack(raw: Buffer, limit: number): Promise<Buffer> {
  try {
    return await inflate(raw, { maxOutputLength: limit });
  } catch (error) {
    const isTooLarge = (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? oversized(limit) : error;
  }
}

const oversized = (limit: number): OversizedError =>
  new OversizedError(`its answer has more than ${limit} bytes`);
