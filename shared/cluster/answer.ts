import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { Body } from '../body.ts';
import { OversizedError } from './errors.ts';
import { within } from './time-limit.ts';

export interface AnswerLimits {
  /** For one answer, both as it is sent and unpacked. */
  readonly bytes: number;
  /** For a page of a list that may be requested again in smaller pages. */
  readonly pageBytes: number;
  /** How long a body may take to arrive. */
  readonly ms: number;
}

/**
 * An object of etcd's 1.5 MiB takes six times as much in JSON where every character is escaped. A page
 * of 500 ordinary objects has 2 to 5 MiB.
 */
export const answerLimits: AnswerLimits = {
  bytes: 16 * 1024 * 1024,
  pageBytes: 8 * 1024 * 1024,
  ms: 60_000,
};

interface Received {
  readonly text: string;
  /** As they were sent. */
  readonly bytes: number;
}

/**
 * The body of an answer, unpacked.
 *
 * Guarantees: keeps no more than twice the limit and takes no longer than `ms`, whatever is sent;
 * the rest of a body that is too large or too slow is not received.
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
