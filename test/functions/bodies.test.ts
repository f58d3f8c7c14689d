import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { json } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BodyLimits, boundBodies } from '../../functions/bodies.ts';
import type { LogLine } from '../../infra/log-line.ts';
import { Body } from '../../shared/body.ts';
import { effort } from '../properties/runs.ts';
import { logInto } from '../support/log.ts';

const limits = { bytes: 1000, bytesAtOnce: 2000, requestsAtOnce: 3, arrivingAtOnce: 5 };

/** A server that responds with the number of bytes it was given, once `hold` is over. */
async function openServer(
  over: Partial<BodyLimits> = {},
  hold?: Promise<void>,
  response = 0,
  stopped?: AbortSignal,
) {
  const logged: LogLine[] = [];
  const handleWhole = boundBodies(logInto(logged, 'DEBUG'), { ...limits, ...over }, stopped);
  const server: Server = createServer((message: IncomingMessage & { rawBody?: Buffer }, to) =>
    handleWhole(message, to, async () => {
      await hold;
      to.end(
        JSON.stringify({
          bytes: message.rawBody?.length,
          more: 'x'.repeat(message.url === '/deaf' ? response : 0),
        }),
      );
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const open = (headers = {}, path = '/') => request({ port, path, method: 'POST', headers });
  return { logged, port, open };
}

/** Opens requests that stop in the middle of their bodies, oldest first; returns their responses. */
async function stalled(
  open: () => ClientRequest,
  count: number,
  bytes: number,
): Promise<readonly Promise<unknown>[]> {
  const responses: Promise<unknown>[] = [];
  for (let at = 0; at < count; at++) {
    const sent = open();
    sent.on('error', () => undefined);
    await new Promise((resolve) => sent.write(Buffer.alloc(bytes), resolve));
    responses.push(foundBySelector(sent).catch(() => undefined));
  }
  return responses;
}

/** Sends a whole request and half-closes the connection; resolves once the server closes it as well. */
async function sendAndLeave(port: number, bytes: number): Promise<void> {
  const socket = connect(port, '127.0.0.1').resume();
  socket.end(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
  await once(socket, 'close');
}

async function foundBySelector(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { code: response.statusCode, headers: response.headers, body: await json(response) };
}

interface Sent {
  readonly sizes: readonly number[];
  readonly coding: string | undefined;
  readonly isDeclared: boolean;
}

const bodies = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 5 }),
  coding: fc.constantFrom(undefined, undefined, 'identity', 'IDENTITY', 'gzip', 'br', 'x, gzip'),
  isDeclared: fc.boolean(),
});

const lengthOf = ({ sizes }: Sent): number => sizes.reduce((sum, size) => sum + size, 0);

function expected(sent: Sent) {
  if (!['identity', 'gzip'].includes(sent.coding?.toLowerCase() ?? 'identity'))
    return { code: 415 };
  if (lengthOf(sent) > limits.bytes) return { code: 413 };
  return { code: 200, body: { bytes: lengthOf(sent) } };
}

describe('a server with limits on bodies', () => {
  it('accepts bodies within the limits, refuses others, and serves the next request', async () => {
    const { open } = await openServer();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { sizes, coding, isDeclared } = body;
        const sent = open({
          ...(coding === undefined ? {} : { 'content-encoding': coding }),
          ...(isDeclared ? { 'content-length': lengthOf(body) } : {}),
        });
        // A server that refuses a body may close the connection.
        sent.on('error', () => undefined);
        for (const size of sizes) sent.write(Buffer.alloc(size));
        sent.end();
        expect(await foundBySelector(sent)).toMatchObject(expected(body));
      }),
      effort(600),
    );
  });

  it('names the content codings that it accepts', async () => {
    const { open, logged } = await openServer();
    const { headers, body } = await foundBySelector(
      open({ 'content-encoding': 'g\tzip' }).end('x'),
    );
    expect(headers['accept-encoding']).toBe('gzip, identity');
    expect(logged).toMatchObject([
      { severity: 'WARNING', message: 'request refused', ...(body as object) },
    ]);
  });

  it('limits the size of all bodies by refusing the oldest arriving one', async () => {
    const { open } = await openServer();
    const [first, second] = await stalled(open, 2, 900);
    expect(await foundBySelector(open().end(Buffer.alloc(300)))).toMatchObject({ code: 200 });
    expect(await first).toMatchObject({ code: 503, headers: { 'retry-after': '5' } });
    expect(await Promise.race([second, Promise.resolve('it still arrives')])).toBe(
      'it still arrives',
    );
  });

  it('limits the number of arriving requests by refusing the oldest', async () => {
    const { open } = await openServer();
    const [first] = await stalled(open, 5, 1);
    expect(await foundBySelector(open().end('x'))).toMatchObject({ code: 200 });
    expect(await first).toMatchObject({ code: 503 });
  });

  it('refuses bodies that are arriving when the process stops, and later ones', async () => {
    const stopping = new AbortController();
    const { open } = await openServer({}, undefined, 0, stopping.signal);
    const [first, second] = await stalled(open, 2, 7);
    stopping.abort();
    const error = 'this process is stopping: send the request again';
    const refusal = { code: 503, headers: { 'retry-after': '1' }, body: { error } };
    expect(await first).toMatchObject(refusal);
    expect(await second).toMatchObject(refusal);
    expect(await foundBySelector(open().end('x'))).toMatchObject(refusal);
  });

  it('waits for a body for a limited time, even if it keeps arriving', async () => {
    const { open, logged } = await openServer({ seconds: 0.2 });
    const sent = open();
    sent.on('error', () => undefined);
    const drip = setInterval(() => sent.write('x'), 20);
    onTestFinished(() => clearInterval(drip));
    expect(await foundBySelector(sent)).toMatchObject({ code: 408 });
    expect(logged).toMatchObject([{ error: 'the request did not arrive within 0.2 s' }]);
  });

  it('disconnects a client that does not read the response, and frees its slot', async () => {
    const { port, open } = await openServer(
      { seconds: 0.3, requestsAtOnce: 1 },
      undefined,
      30_000_000,
    );
    const deaf = connect(port, '127.0.0.1').pause();
    onTestFinished(() => void deaf.destroy());
    deaf.on('error', () => undefined);
    await new Promise((resolve) => {
      deaf.write('POST /deaf HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx', resolve);
    });
    const codes = new Set<unknown>();
    while (!codes.has(200)) codes.add((await foundBySelector(open().end('x'))).code);
    expect([...codes]).toEqual([503, 200]);
  });

  it('refuses a path that cannot be decoded, and logs one line', async () => {
    const { open, logged } = await openServer();
    const error =
      'the path has a "%" that does not belong to an encoded UTF-8 character: write it as %25';
    for (const path of ['/%ff', '/a%2', '/%?x=%41'])
      expect(await foundBySelector(open({}, path).end('x'))).toMatchObject({
        code: 400,
        body: { error },
      });
    expect(await foundBySelector(open({}, '/%41?x=%ff').end('x'))).toMatchObject({ code: 200 });
    expect(logged).toHaveLength(3);
  });

  it('limits the number of requests in progress', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { open } = await openServer({}, promise);
    // Requests may arrive in any order.
    const responses = [1, 2, 3, 4].map(() => foundBySelector(open().end('x')));
    expect(await Promise.race(responses)).toMatchObject({ code: 503 });
    resolve();
    const codes = (await Promise.all(responses)).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([200, 200, 200, 503]);
  });

  it.each([
    { reason: 'their number', count: 3, bytes: 1, over: {} },
    { reason: 'their size', count: 2, bytes: 900, over: { requestsAtOnce: 9 } },
  ])('limits requests of disconnected clients by $reason', async ({ count, bytes, over }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { port, open } = await openServer(over, promise);
    await Promise.all(Array.from({ length: count }, () => sendAndLeave(port, bytes)));
    const busy = { code: 503, headers: { 'retry-after': '5' } };
    expect(await foundBySelector(open().end(Buffer.alloc(300)))).toMatchObject(busy);
    resolve();
    const codes = new Set<unknown>();
    while (!codes.has(200)) codes.add((await foundBySelector(open().end(Buffer.alloc(300)))).code);
  });

  it('disconnects a client that keeps sending after a refusal', async () => {
    const { open } = await openServer();
    const sent = open({ 'transfer-encoding': 'chunked' });
    const ended = once(sent, 'close');
    sent.on('error', () => undefined);
    sent.write(Buffer.alloc(1001));
    expect(await foundBySelector(sent)).toMatchObject({ code: 413 });
    await ended;
  });
});

it('a body is collected from chunks of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9000 })), (chunks) => {
      const body = new Body();
      for (const chunk of chunks) body.add(Buffer.from(chunk));
      const whole = Buffer.concat(chunks);
      expect(body.bytes).toBe(whole.length);
      expect(body.take().equals(whole)).toBe(true);
    }),
  );
});
