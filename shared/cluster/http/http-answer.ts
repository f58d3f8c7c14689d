import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Body } from '../../body.ts';
import { OversizedError } from '../cluster-errors.ts';

export interface AnswerLimits {
  /** Maximum size of one answer, compressed and decompressed. */
  readonly bytes: number;
  /** Maximum size of a page of a list, which is lower because smaller pages can be requested. */
  readonly pageBytes: number;
  /** Time limit for an answer to begin; the body then has the same time. */
  readonly ms: number;
}

/**
 * The default limits. etcd stores objects of up to 1.5 MiB, which take six times as much in JSON if every
 * character is escaped. A page of 500 ordinary objects has 2 to 5 MiB.
 */
export const answerLimits: AnswerLimits = {
  bytes: 16 * 1024 * 1024,
  pageBytes: 8 * 1024 * 1024,
  ms: 60_000,
};

/** Status code and headers of an answer. */
export interface Head {
  readonly code: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<IncomingHttpHeaders>;
}

/** A complete answer with its body decompressed. */
export interface Received extends Head {
  readonly body: Buffer;
  /** Size of the body as it was received, perhaps compressed. */
  readonly bytes: number;
}

/**
 * Collects the body of an answer as it arrives. A refusal keeps its status code even if its body is too
 * large.
 *
 * Guarantees: keeps at most twice the limit, whatever is sent.
 */
export class AnswerBody {
  readonly #head: Head;
  readonly #limit: number;
  readonly #received = new Body();

  constructor(head: Head, limit: number) {
    this.#head = head;
    this.#limit = limit;
  }

  /** Adds a part. Throws an OversizedError if the declared length, or what has arrived so far, is too large. */
  add(part: Buffer): void {
    const declared = Number(this.#head.headers['content-length'] ?? 0);
    if (Math.max(declared, this.#received.bytes + part.length) > this.#limit)
      throw oversized(this.#limit);
    this.#received.add(part);
  }

  /** Returns the answer once its body is complete. Throws an OversizedError if the decompressed body is too large. */
  take(): Received | Promise<Received> {
    const { code, headers } = this.#head;
    const raw = this.#received.take();
    const answer = { code, headers, body: raw, bytes: raw.length };
    if (headers['content-encoding'] !== 'gzip') return answer;
    return unpack(raw, this.#limit).then(
      (body) => ({ ...answer, body }),
      (error: unknown) => this.excess(error),
    );
  }

  /**
   * Handles an error of the body: returns the answer without a body if it is a refusal whose body is too
   * large, otherwise rejects.
   */
  async excess(error: unknown): Promise<Received> {
    const { code, headers } = this.#head;
    if (!(error instanceof OversizedError && code >= 400)) throw error;
    return { code, headers, body: Buffer.alloc(0), bytes: this.#limit };
  }
}

export const lateAnswer = (ms: number): Error =>
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
