import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf } from '../cluster/answer-of.ts';
import { effort } from './runs.ts';

const header = fc.constantFrom(
  ...[
    'Date: today',
    'x-y:',
    'connection: keep-alive',
    'Connection: close',
    'keep-alive: timeout=9',
  ],
);
const headers = fc.array(header, { maxLength: 3 });
const bodies = fc.string({ unit: 'binary-ascii', maxLength: 40 });

const chunked = fc
  .record({
    parts: fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 }), {
      maxLength: 4,
    }),
    extension: fc.constantFrom('', ';a', ';a="b"'),
    trailers: headers,
  })
  .map(({ parts, extension, trailers }) =>
    [
      ...['transfer-encoding: chunked', ''],
      ...parts.flatMap((part) => [part.length.toString(16) + extension, part]),
      ...['0', ...trailers, '', ''],
    ].join('\r\n'),
  );
const counted = bodies.map((body) => `content-length: ${body.length}\r\n\r\n${body}`);
const untilClosed = bodies.map((body) => `\r\n${body}`);

const whole = fc
  .record({
    informs: fc.boolean(),
    status: fc.constantFrom(...['1.1 200 OK', '1.1 404 Not Found', '1.0 200 OK', '1.1 204 None']),
    fields: headers,
    rest: fc.oneof(counted, chunked, untilClosed),
  })
  .map(
    ({ informs, status, fields, rest }) =>
      `${informs ? 'HTTP/1.1 103 Hints\r\na: b\r\n\r\n' : ''}${[`HTTP/${status}`, ...fields, rest].join('\r\n')}`,
  );

/** Cut at any places. */
const inParts = (sent: string, cuts: readonly number[]): readonly string[] => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (sent.length + 1)), sent.length])];
  const sorted = places.toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, at) => sent.slice(sorted[at], end));
};

test('an answer is the same however it is cut', () => {
  fc.assert(
    fc.property(whole, fc.array(fc.nat(), { maxLength: 12 }), (sent, cuts) => {
      const { isReusable: _, ...inOne } = answerOf([sent]);
      const { isReusable: __, ...inMany } = answerOf(inParts(sent, cuts));
      const { isReusable: ___, ...inBytes } = answerOf([...sent]);
      expect(inMany).toEqual(inOne);
      expect(inBytes).toEqual(inOne);
    }),
    effort(500),
  );
});

/** Answers each connection with these bytes, and ends it. */
let sending = '';
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end(sending, 'latin1'));
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** What Node's own client makes of them. */
async function answerToNode(sent: string): Promise<object> {
  sending = sent;
  const { port } = server.address() as AddressInfo;
  const asked = request({ host: '127.0.0.1', port, agent: false });
  asked.on('error', () => undefined).end();
  try {
    const [answer] = await once(asked, 'response');
    answer.setEncoding('latin1');
    return { code: answer.statusCode, body: await text(answer) };
  } catch {
    return {};
  }
}

const change = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 3 }),
  added: fc.constantFrom(
    ...['', '\r', '\n', '\r\n', ' ', '\t', ':', '0', '1', 'f', ';', ',', '\x00', '\x7f', '\xe9'],
    ...['content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'connection: upgrade\r\n'],
  ),
});

test('what is accepted of a damaged answer is what Node reads of it', async () => {
  const cases = effort(2000);
  let [accepted, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      whole,
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (sent, changes) => {
        const damaged = changes.reduce((text, { at, removed, added }) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + added + text.slice(place + removed);
        }, sent);
        const { code, body } = answerOf([damaged]);
        if (code === undefined) refused++;
        else {
          accepted++;
          expect(await answerToNode(damaged)).toEqual({ code, body });
        }
      },
    ),
    cases,
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(cases.numRuns / 30);
});
