import { describe, expect, it } from 'vitest';
import { answerOf } from './answer-of.ts';

const text = (...lines: readonly string[]): string => lines.join('\r\n');
const ok = 'HTTP/1.1 200 OK';

interface Row {
  readonly sent: string;
  readonly body?: string;
  readonly code?: number;
  readonly reason: string;
  readonly isReusable?: boolean;
}

const rows: Readonly<Record<string, Row>> = {
  Counted: { sent: text(ok, 'Content-Length: 2', '', 'ab'), body: 'ab', reason: 'the usual case' },
  Empty: { sent: text(ok, 'content-length: 0', '', ''), reason: 'a body of no bytes' },
  NoReason: { sent: text('HTTP/1.1 200', 'content-length: 0', '', ''), reason: 'it is optional' },
  Spaces: {
    sent: text(ok, 'content-length: \t2  ', '', 'ab'),
    body: 'ab',
    reason: 'they may surround a value',
  },
  Chunks: {
    sent: text(ok, 'transfer-encoding: Chunked', '', '1', 'a', '0b', 'bcdefghijkl', '0', '', ''),
    body: 'abcdefghijkl',
    reason: 'their sizes are hexadecimal',
  },
  Extensions: {
    sent: text(ok, 'transfer-encoding: chunked', '', '1;a="b"', 'a', '0;x', '', ''),
    body: 'a',
    reason: 'they are ignored',
  },
  Trailers: {
    sent: text(ok, 'transfer-encoding: chunked', '', '1', 'a', '0', 'x: y', 'z: 0', '', ''),
    body: 'a',
    reason: 'they are ignored, too',
  },
  NoContent: {
    sent: text('HTTP/1.1 204 No Content', '', ''),
    code: 204,
    reason: 'it never has a body',
  },
  NotModified: {
    sent: text('HTTP/1.1 304 Not Modified', 'content-length: 5', '', ''),
    code: 304,
    reason: 'its length is that of another answer',
  },
  Informational: {
    sent: text(
      'HTTP/1.1 100 Continue',
      '',
      'HTTP/1.1 103 Early',
      'x: y',
      '',
      ok,
      'content-length: 1',
      '',
      'a',
    ),
    body: 'a',
    reason: 'they come before the answer',
  },
  UntilClosed: {
    sent: text(ok, '', 'all that comes'),
    body: 'all that comes',
    isReusable: false,
    reason: 'without a length the end of the connection ends it',
  },
  Closing: {
    sent: text(ok, 'content-length: 1', 'connection: x ,Close', '', 'a'),
    body: 'a',
    isReusable: false,
    reason: 'the server closes the connection',
  },
  OldVersion: {
    sent: text('HTTP/1.0 200 OK', 'content-length: 1', '', 'a'),
    body: 'a',
    isReusable: false,
    reason: 'of which a connection ends with its answer',
  },
  Surplus: {
    sent: text(ok, 'content-length: 1', '', 'ab'),
    body: 'a',
    isReusable: false,
    reason: 'it would be taken for the next answer',
  },
};

describe('an answer', () => {
  it.each(Object.entries(rows))(
    '%s',
    (_, { sent, body = '', code = 200, isReusable = true, reason }) => {
      expect(answerOf([sent]), reason).toMatchObject({ code, body, isReusable });
    },
  );

  it('keeps its headers by their names in lower case, repeated ones in one', () => {
    const sent = text(
      ok,
      'X-One: 1',
      'x-two:',
      '__proto__: a',
      'x-one: 2',
      'content-length: 0',
      '',
      '',
    );
    const { headers = {} } = answerOf([sent]);
    expect(Object.entries(headers)).toEqual([
      ['x-one', '1, 2'],
      ['x-two', ''],
      ['__proto__', 'a'],
      ['content-length', '0'],
    ]);
  });
});

const notHttp = 'it does not answer in HTTP/1.1';
const badHeader = 'one of its headers is not as HTTP has it';
const ambiguous = 'the length of its body is ambiguous';
const noNumber = 'the length of its body is not a number';
const badLine = 'a line of its body is not as HTTP has it';
const noSize = 'a chunk of its body has no size';

describe('what could be read in two ways is refused', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH', notHttp],
    ['another version', text('HTTP/2.0 200 OK', '', ''), notHttp],
    ['a newline before', text('', ok, 'content-length: 0', '', ''), notHttp],
    ['an informational answer of HTTP/1.0', text('HTTP/1.0 100 Continue', '', ''), notHttp],
    ['a code of two digits', text('HTTP/1.1 20 OK', '', ''), notHttp],
    ['a code of one above 999', text('HTTP/1.1 2000 OK', '', ''), notHttp],
    ['a control character', text('HTTP/1.1 200 O\x00K', '', ''), notHttp],
    ['a line feed alone', text('HTTP/1.1 200 OK\ncontent-length: 0', '', ''), notHttp],
    ['a folded header', text(ok, 'a: b', ' c: d', '', ''), badHeader],
    ['a space before the colon', text(ok, 'content-length : 2', '', ''), badHeader],
    ['no colon', text(ok, 'content-length', '', ''), badHeader],
    ['no name', text(ok, ': 2', '', ''), badHeader],
    ['a line feed within a value', text(ok, 'a: b\nc: d', '', ''), badHeader],
    ['a carriage return within one', text(ok, 'a: b\rc: d', '', ''), badHeader],
    ['two lengths', text(ok, 'content-length: 1', 'content-length: 1', '', 'a'), noNumber],
    ['a sign', text(ok, 'content-length: +1', '', 'a'), noNumber],
    ['a space that is none', text(ok, 'content-length: 1\xa0', '', 'a'), noNumber],
    ['a tab behind', text(ok, 'content-length: 1\t', '', 'a'), noNumber],
    ['an empty length', text(ok, 'content-length:', '', ''), noNumber],
    ['a length beyond numbers', text(ok, `content-length: ${'9'.repeat(16)}`, '', ''), noNumber],
    [
      'chunks with a length',
      text(ok, 'transfer-encoding: chunked', 'content-length: 1', '', ''),
      ambiguous,
    ],
    ['another coding', text(ok, 'transfer-encoding: gzip, chunked', '', ''), ambiguous],
    [
      'chunks twice',
      text(ok, 'transfer-encoding: chunked', 'transfer-encoding: chunked', '', ''),
      ambiguous,
    ],
    [
      'chunks of HTTP/1.0',
      text('HTTP/1.0 200 OK', 'transfer-encoding: chunked', '', ''),
      ambiguous,
    ],
    ['a chunk without a size', text(ok, 'transfer-encoding: chunked', '', 'x', ''), noSize],
    ['a negative size', text(ok, 'transfer-encoding: chunked', '', '-1', ''), noSize],
    ['a size with a space', text(ok, 'transfer-encoding: chunked', '', '1 ', ''), noSize],
    ['a size with a prefix', text(ok, 'transfer-encoding: chunked', '', '0x1', ''), noSize],
    ['a size beyond any body', text(ok, 'transfer-encoding: chunked', '', '100000000', ''), noSize],
    [
      'a size that is not on a line of its own',
      text(ok, 'transfer-encoding: chunked', '', '1\na'),
      badLine,
    ],
    [
      'more in a chunk than its size',
      text(ok, 'transfer-encoding: chunked', '', '1', 'ab', ''),
      badLine,
    ],
    [
      'an endless size',
      text(ok, 'transfer-encoding: chunked', '', `1;${'x'.repeat(2000)}`),
      badLine,
    ],
    [
      'endless trailers',
      text(ok, 'transfer-encoding: chunked', '', '0', ...Array(9000).fill('a:')),
      badLine,
    ],
    [
      'an endless trailer',
      text(ok, 'transfer-encoding: chunked', '', '0', 'x'.repeat(20_000)),
      badLine,
    ],
    [
      'endless headers',
      text(ok, `x: ${'y'.repeat(20_000)}`),
      'its headers have more than 16384 bytes',
    ],
    [
      'another protocol from here on',
      text('HTTP/1.1 101 Switching', '', ''),
      'it switched to another protocol',
    ],
  ])('%s', (_, sent, message) => {
    expect(answerOf([sent])).toEqual({ error: message });
  });

  it('whatever the headers, without work that grows with their square', () => {
    const spaces = ' '.repeat(16_000);
    const began = process.cpuUsage();
    for (const value of [`a${spaces}b`, `${spaces}b`, `a${spaces}`, `a,${spaces},b`])
      expect(answerOf([text(ok, `connection: ${value}`, 'content-length: 0', '', '')]).code).toBe(
        200,
      );
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(100);
  });
});

describe('an answer that ends too early', () => {
  it.each([
    ['within its headers', text(ok, 'content-le')],
    ['within its body', text(ok, 'content-length: 2', '', 'a')],
    ['within a chunk', text(ok, 'transfer-encoding: chunked', '', '2', 'a')],
    ['before the last chunk', text(ok, 'transfer-encoding: chunked', '', '1', 'a', '')],
    ['within the trailers', text(ok, 'transfer-encoding: chunked', '', '0', 'a: b', '')],
    ['after an informational one', text('HTTP/1.1 100 Continue', '', '')],
  ])('%s', (_, sent) => {
    expect(answerOf([sent])).toEqual({});
  });
});
