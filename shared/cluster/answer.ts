import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { Body } from '../body.ts';
import { OversizedError } from './errors.ts';
import { within } from './time-limit.ts';

export interface AnswerLimits {
  /** For one answer, both compressed and decompressed. */
  readonly bytes: number;
  /** For a page of a list that may be requested again in smaller pages. */
  readonly pageBytes: number;
  /** How long a body may take to arrive. */
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

interface Received {
  readonly text: string;
  /** Compressed, if it was sent so. */
  readonly bytes: number;
}

/**
 * The body of an answer, decompressed.
 *
 * Guarantees: keeps at most twice the limit and takes no longer than `ms`, whatever is sent. A body that
 * is too large or too slow is aborted.
 */
export async function receive(
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  { bytes: limit, ms }: Pick<AnswerLimits, 'bytes' | 'ms'>,
): Promise<Received> {
  const late = () => new Error(`its answer did not arrive within ${ms / 1000} s`);
  try {
    if (Number(headers['content-length'] ?? 0) > limit) throw oversized(limit);
    const raw = await within(ms, () => collect(body, limit), late);
    const isPacked = headers['content-encoding'] === 'gzip';
    const text = isPacked ? await unpack(raw, limit) : raw;
    return { text: text.toString(), bytes: raw.length };
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error;
  }
}

async function collect(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const received = new Body();
  for await (const chunk of body) {
    received.add(chunk);
    if (received.bytes > limit) throw oversized(limit);
  }
  return received.take();
}

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
