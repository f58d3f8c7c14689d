import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Effect } from './effects.ts';
import { growthOf } from './memory.ts';
import { type Exchange, startProxy } from './proxy.ts';

/** A server behind a proxy that lets one thing happen to each request. */
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
  const answer = fetch(`${proxy.address('resync')}/api/v1/x?a=b`, { method: 'PATCH', body: '{}' });
  const seen = await answer
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
  ])('records what it does to a request: $effect', async ({ effect, expected }) => {
    const { exchanges, ...found } = await behind(effect);
    expect(found).toMatchObject(expected);
    const code = found.reached.length === 0 ? undefined : 201;
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]).toMatchObject({ sender: 'resync', number: 1, path: '/api/v1/x' });
    expect(exchanges[0]?.code).toBe(code);
    expect(exchanges[0]?.effect).toEqual(effect);
  });
});

describe('growth of memory', () => {
  it.each<{ readonly of: string; readonly points: [number, number][]; readonly growth: number }>([
    {
      of: 'a flat line',
      points: [
        [0, 20],
        [10, 20],
        [20, 20],
      ],
      growth: 0,
    },
    {
      of: 'a leak of half a MiB a second',
      points: [
        [0, 20],
        [10, 25],
        [20, 30],
      ],
      growth: 10,
    },
    {
      of: 'a wave that ends where it began',
      points: [
        [0, 20],
        [5, 30],
        [10, 20],
        [15, 30],
        [20, 20],
      ],
      growth: 0,
    },
    { of: 'too little to tell', points: [[0, 20]], growth: 0 },
  ])('is told over the time of the samples: $of', ({ points, growth }) => {
    expect(growthOf(points)).toBeCloseTo(growth);
  });
});
