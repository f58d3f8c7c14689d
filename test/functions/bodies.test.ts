import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BodyLimits, guard } from '../../functions/bodies.ts';
import { Body } from '../../functions/body.ts';
import { createLog } from '../../shared/log.ts';
import { effort } from '../properties/runs.ts';

const limits = { bytes: 1000, bytesAtOnce: 2000, requestsAtOnce: 3 };

/** A server that answers with the number of bytes it was given, once `hold` is over. */
async function world(over: Partial<BodyLimits> = {}, hold?: Promise<void>) {
  const logged: Record<string, unknown>[] = [];
  const server: Server = createServer(
    async (message: IncomingMessage & { rawBody?: Buffer }, to) => {
      await hold;
      to.end(JSON.stringify({ bytes: message.rawBody?.length }));
    },
  );
  guard(
    server,
    createLog((line) => logged.push(JSON.parse(line)), 'DEBUG'),
    { ...limits, ...over },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { logged, open: (headers = {}) => request({ port, method: 'POST', headers }) };
}

async function answerOf(sent: ClientRequest) {
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

function wanted(sent: Sent) {
  if (sent.coding !== undefined && sent.coding.toLowerCase() !== 'identity') return { code: 415 };
  if (lengthOf(sent) > limits.bytes) return { code: 413 };
  return { code: 200, body: { bytes: lengthOf(sent) } };
}

describe('a guarded server', () => {
  it('takes what is within the limits, refuses the rest, and serves the next request', async () => {
    const { open } = await world();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { sizes, coding, isDeclared } = body;
        const sent = open({
          ...(coding === undefined ? {} : { 'content-encoding': coding }),
          ...(isDeclared ? { 'content-length': lengthOf(body) } : {}),
        });
        // A server that has refused the rest may hang up.
        sent.on('error', () => undefined);
        for (const size of sizes) sent.write(Buffer.alloc(size));
        sent.end();
        expect(await answerOf(sent)).toMatchObject(wanted(body));
      }),
      effort(600),
    );
  });

  it('names the coding it takes', async () => {
    const { open, logged } = await world();
    const { headers, body } = await answerOf(open({ 'content-encoding': 'g\tzip' }).end('x'));
    expect(headers['accept-encoding']).toBe('identity');
    expect(logged).toMatchObject([
      { severity: 'WARNING', message: 'request refused', ...(body as object) },
    ]);
  });

  it('keeps no more than its limit of all bodies, and takes others once some have gone', async () => {
    const { open } = await world();
    const stalled = [open(), open()];
    for (const one of stalled) {
      one.on('error', () => undefined);
      one.write(Buffer.alloc(900));
    }
    const until = async (code: number) => {
      for (;;) {
        const answer = await answerOf(open().end(Buffer.alloc(300)));
        if (answer.code === code) return answer;
      }
    };
    expect((await until(503)).headers['retry-after']).toBe('5');
    expect(await answerOf(open().end(Buffer.alloc(200)))).toMatchObject({ code: 200 });
    stalled[0]?.destroy();
    await until(200);
  });

  it('answers only so many requests at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { open } = await world({}, promise);
    const held = [1, 2, 3].map(() => answerOf(open().end('x')));
    expect(await Promise.race([...held, answerOf(open().end('x'))])).toMatchObject({ code: 503 });
    resolve();
    for (const one of held) expect(await one).toMatchObject({ code: 200 });
  });

  it('disconnects who goes on sending after a refusal', async () => {
    const { open } = await world();
    const sent = open({ 'transfer-encoding': 'chunked' });
    const ended = once(sent, 'close');
    sent.on('error', () => undefined);
    sent.write(Buffer.alloc(1001));
    expect(await answerOf(sent)).toMatchObject({ code: 413 });
    await ended;
  });
});

it('collects chunks of any size', () => {
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
