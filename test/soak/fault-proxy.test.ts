import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Effect } from './effects.ts';
import { type Exchange, startProxy } from './fault-proxy.ts';

/** Sends a request through a proxy that applies one effect, to a server that records it. */
async function behind(effect: Effect | undefined) {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.writeHead(201).end('{"metadata":{"uid":"u"}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const exchanges: Exchange[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const onExchange = (exchange: Exchange) => void exchanges.push(exchange);
  const proxy = await startProxy({ target: { url }, before: () => effect, onExchange });
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  const response = fetch(`${proxy.address('resync')}/api/v1/x?a=b`, {
    method: 'PATCH',
    body: '{}',
  });
  const seen = await response
    .then(async (response) => ({
      code: response.status,
      after: response.headers.get('retry-after'),
      text: await response.text(),
    }))
    .catch(() => 'broken');
  await proxy.idle();
  return { seen, reached, exchanges };
}

const broken = { seen: 'broken' };
const carriedOut = { reached: ['PATCH /api/v1/x?a=b'] };
const refused = { code: 429, after: '1' };

describe('the fault proxy', () => {
  it.each<{ readonly effect: Effect | undefined; readonly expected: object }>([
    {
      effect: undefined,
      expected: { ...carriedOut, seen: { code: 201, text: '{"metadata":{"uid":"u"}}' } },
    },
    { effect: { kind: 'delay', ms: 1 }, expected: { ...carriedOut, seen: { code: 201 } } },
    { effect: { kind: 'drop', when: 'before' }, expected: { ...broken, reached: [] } },
    { effect: { kind: 'drop', when: 'after' }, expected: { ...broken, ...carriedOut } },
    { effect: { kind: 'cut' }, expected: { ...broken, ...carriedOut } },
    { effect: { kind: 'hang', ms: 1 }, expected: { ...broken, reached: [] } },
    {
      effect: { kind: 'refuse', code: 429, retryAfterSeconds: 1 },
      expected: { reached: [], seen: refused },
    },
  ])('applies and records an effect: $effect', async ({ effect, expected }) => {
    const { exchanges, ...found } = await behind(effect);
    expect(found).toMatchObject(expected);
    const code = found.reached.length === 0 ? undefined : 201;
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]).toMatchObject({ sender: 'resync', number: 1, path: '/api/v1/x' });
    expect(exchanges[0]?.code).toBe(code);
    expect(exchanges[0]?.effect).toEqual(effect);
  });
});
