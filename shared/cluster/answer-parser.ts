import { Buffer } from 'node:buffer';
import type { Head } from './answer.ts';

/** Receives one answer in order: its head, and its body in parts. */
export interface AnswerReceiver {
  readonly onHead: (head: Head) => void;
  readonly onBody: (part: Buffer) => void;
}

/** For a status line with its headers, and for all trailers; as Node's own limit. */
const maxHead = 16 * 1024;
/** For the size of a chunk with its extensions, which are ignored. */
const maxSizeLine = 1024;

const nothing = Buffer.alloc(0);

type State = 'head' | 'counted' | 'size' | 'chunk' | 'afterChunk' | 'trailers' | 'rest' | 'ended';

/**
 * Parses the answer to one request, which is not a HEAD. Informational answers before it are skipped.
 *
 * Guarantees: what could be read in two ways is an error: both a length and chunks, two lengths, another transfer
 * coding, folded headers, a line that does not end with CR LF. Errors quote nothing of what was received. Keeps no
 * more than an incomplete head or line.
 * Source: RFC 9112, sections 4 to 7.
 */
export class AnswerParser {
  readonly #receiver: AnswerReceiver;
  #state: State = 'head';
  #incomplete: Buffer = nothing;
  /** Bytes of the body or of the chunk that are still to come, or that the trailers may have. */
  #left = 0;
  #isReusable = true;

  constructor(receiver: AnswerReceiver) {
    this.#receiver = receiver;
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Whether another request may be sent over the same connection, once the answer has ended. */
  get isReusable(): boolean {
    return this.#isReusable;
  }

  /** Parses what arrived, up to the end of the answer. Errors: what is wrong with it, and what the receiver throws. */
  add(arrived: Buffer): void {
    let input = arrived;
    if (this.#incomplete.length > 0) input = Buffer.concat([this.#incomplete, arrived]);
    this.#incomplete = nothing;
    let at = 0;
    while (at < input.length) {
      if (this.#state === 'ended') {
        this.#isReusable = false;
        return;
      }
      const next = this.#step(input, at);
      if (next === undefined) {
        this.#incomplete = input.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** The server closed the connection, which ends a body without a length. */
  close(): void {
    if (this.#state === 'rest') this.#state = 'ended';
  }

  /** Returns where to go on; undefined if there has to be more first. */
  #step(input: Buffer, at: number): number | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(input, at);
      case 'counted':
      case 'chunk':
        return this.#readBody(input, at);
      case 'rest':
        this.#receiver.onBody(input.subarray(at));
        return input.length;
      case 'size':
        return this.#readSize(input, at);
      case 'afterChunk': {
        const end = lineEnd(input, at, 0);
        if (end !== undefined) this.#state = 'size';
        return end;
      }
      case 'trailers': {
        const end = lineEnd(input, at, this.#left);
        this.#left -= (end ?? at) - at;
        if (end === at + 2) this.#state = 'ended';
        else if (end !== undefined) checkTrailer(input.toString('latin1', at, end - 2));
        return end;
      }
      case 'ended':
        return input.length;
    }
  }

  #readHead(input: Buffer, at: number): number | undefined {
    const end = input.indexOf('\r\n\r\n', at, 'latin1');
    if ((end < 0 ? input.length : end) - at > maxHead)
      throw new Error(`its headers have more than ${maxHead} bytes`);
    if (end < 0) {
      if (!couldBeHead(input, at)) throw noHttp();
      return undefined;
    }
    const head = headOf(input.toString('latin1', at, end));
    if (head.code === 101) throw new Error('it switched to another protocol');
    // 1xx: the answer is still to come.
    if (head.code < 200) return end + 4;
    this.#beginBody(head);
    return end + 4;
  }

  #beginBody(head: Head): void {
    const { code, headers } = head;
    const { 'content-length': length, 'transfer-encoding': coding } = headers;
    if (coding !== undefined && (length !== undefined || coding.toLowerCase() !== 'chunked'))
      throw ambiguous();
    if (length !== undefined && !/^\d{1,15}$/.test(length))
      throw new Error('the length of its body is not a number');
    this.#left = Number(length ?? 0);
    const isEmpty = code === 204 || code === 304 || (length !== undefined && this.#left === 0);
    this.#receiver.onHead(head);
    if (isEmpty) this.#state = 'ended';
    else if (coding !== undefined) this.#state = 'size';
    else this.#state = length === undefined ? 'rest' : 'counted';
    this.#isReusable &&= this.#state !== 'rest' && !isListed(headers.connection, 'close');
  }

  #readBody(input: Buffer, at: number): number {
    const end = Math.min(input.length, at + this.#left);
    this.#left -= end - at;
    this.#receiver.onBody(input.subarray(at, end));
    if (this.#left > 0) return end;
    this.#state = this.#state === 'chunk' ? 'afterChunk' : 'ended';
    return end;
  }

  #readSize(input: Buffer, at: number): number | undefined {
    const end = lineEnd(input, at, maxSizeLine);
    if (end === undefined) return undefined;
    const [, size] = sizeLine.exec(input.toString('latin1', at, end - 2)) ?? [];
    if (size === undefined) throw new Error('a chunk of its body has no size');
    this.#left = Number.parseInt(size, 16);
    if (this.#left > 0) this.#state = 'chunk';
    else {
      this.#state = 'trailers';
      this.#left = maxHead;
    }
    return end;
  }
}

/** Behind the CR LF of a line with at most `most` bytes; undefined if it is incomplete. */
function lineEnd(input: Buffer, at: number, most: number): number | undefined {
  const feed = input.indexOf(0x0a, at);
  const length = (feed < 0 ? input.length : feed) - at;
  if (length > most + 1 || (feed >= 0 && input[feed - 1] !== 0x0d) || feed === at)
    throw new Error('a line of its body is not as HTTP has it');
  return feed < 0 ? undefined : feed + 1;
}

const begin = Buffer.from('HTTP/1.');

/** Whether what is there of a head begins as one, so that another protocol is found out at once. */
const couldBeHead = (input: Buffer, at: number): boolean => {
  const length = Math.min(begin.length, input.length - at);
  return input.compare(begin, 0, length, at, at + length) === 0;
};

const ambiguous = (): Error => new Error('the length of its body is ambiguous');

const noHttp = (): Error => new Error('it does not answer in HTTP/1.1');

function headOf(text: string): Head {
  const [, version, code, fields = ''] = headForm.exec(text) ?? [];
  if (code === undefined) throw noHttp();
  const headers = fieldsOf(fields);
  if (version === '0') {
    // Informational answers and chunks came with 1.1; before, a connection ends with its answer.
    if (Number(code) < 200) throw noHttp();
    if ('transfer-encoding' in headers) throw ambiguous();
    headers.connection = 'close';
  }
  return { code: Number(code), headers };
}

/** Of headers or trailers, each after a CR LF. */
function fieldsOf(text: string): Record<string, string> {
  if (!fieldsForm.test(text)) throw new Error('one of its headers is not as HTTP has it');
  const fields: Record<string, string> = Object.create(null);
  for (let at = 2; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon).toLowerCase();
    const value = trimmed(text.slice(colon + 1, end < 0 ? text.length : end));
    fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
    at = end < 0 ? text.length : end + 2;
  }
  return fields;
}

/** Trailers are ignored, but must not look as if they described the body. */
function checkTrailer(line: string): void {
  const fields = fieldsOf(`\r\n${line}`);
  if ('content-length' in fields || 'transfer-encoding' in fields) throw ambiguous();
}

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const quoted = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
/** Extensions are ignored. */
const sizeLine = new RegExp(`^([0-9a-f]{1,8})(?:;${token}(?:=(?:${token}|${quoted}))?)*$`, 'i');
const text = '[\\t\\x20-\\x7e\\x80-\\xff]*';
const headForm = new RegExp(`^HTTP/1\\.([01]) ([1-9]\\d\\d)(?: ${text})?((?:\\r\\n[^]*)?)$`);
const fieldsForm = new RegExp(`^(?:\\r\\n${token}:${text})*$`, 'i');

const isListed = (list: string | undefined, token: string): boolean =>
  list?.split(',').some((one) => one.trim().toLowerCase() === token) ?? false;

/**
 * Without the spaces and tabs before it, and the spaces after it: tabs after it are read in two ways. `trim` removes
 * more than HTTP allows.
 */
function trimmed(value: string): string {
  let [start, end] = [0, value.length];
  while (value[start] === ' ' || value[start] === '\t') start++;
  while (start < end && value[end - 1] === ' ') end--;
  return value.slice(start, end);
}
