import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isFinal, OversizedError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';

const call = { method: 'GET', path: '/api/v1/secrets', what: 'list secrets' } as const;
const limits = { bytes: 100_000, ms: 300 };

function open(server: string) {
  const connection = connect(
    { server, access: async () => ({ tls: {}, authorization: undefined }) },
    limits,
  );
  onTestFinished(connection.close);
  return connection;
}

const textOf = (size: number): string => JSON.stringify('x'.repeat(size - 2));

interface Row {
  readonly reason: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fits: boolean;
}

const gzip = { 'content-encoding': 'gzip' };
const rows: Readonly<Record<string, Row>> = {
  Largest: { reason: 'a body of exactly the limit is allowed', body: textOf(100_000), fits: true },
  OneMore: { reason: 'one byte above the limit is too much', body: textOf(100_001), fits: false },
  Chunked: {
    reason: 'the limit also applies without a declared length',
    body: textOf(100_001),
    headers: { 'transfer-encoding': 'chunked' },
    fits: false,
  },
  Bomb: {
    reason: 'the inflated size of a compressed response counts',
    body: gzipSync(textOf(10_000_000)),
    headers: gzip,
    fits: false,
  },
  Packed: {
    reason: 'a response of the largest size may be compressed',
    body: gzipSync(textOf(100_000)),
    headers: gzip,
    fits: true,
  },
};

describe('a response is received up to its limit', () => {
  it.each(casesOf(rows))('%s', async (_, { body, headers = {}, fits }) => {
    const api = await startApiEndpoint(() => ({ body, headers }));
    const sent = open(api.url).send(call);
    if (fits) expect(typeof (await sent).value).toBe('string');
    else {
      const error: unknown = await sent.catch((refusal: unknown) => refusal);
      expect(error).toBeInstanceOf(OversizedError);
      expect((error as Error).message).toBe(
        'cannot list secrets: its response has more than 100000 bytes',
      );
      expect(isFinal(error)).toBe(true);
    }
  });

  it('with new sockets after responses that were too large', async () => {
    const api = await startApiEndpoint((_, number) => ({
      body: textOf(number <= 20 ? 1_000_000 : 10),
    }));
    const connection = open(api.url);
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => connection.send(call)));
    expect(all.every((one) => one.status === 'rejected')).toBe(true);
    expect(await connection.send(call)).toMatchObject({ value: 'xxxxxxxx' });
  });
});

/** Starts a server that sends the headers of a response, and then calls `goOn`. */
async function endless(goOn: (response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    goOn(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an endless response', () => {
  it('is aborted once it is too large', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await endless((response) => {
      closed = once(response, 'close');
      const more = (): void => {
        if (!response.destroyed) response.write('{},'.repeat(5000), () => setImmediate(more));
      };
      more();
    });
    await expect(open(server).send(call)).rejects.toBeInstanceOf(OversizedError);
    await closed;
  });

  it('is aborted once it has taken too long, even if it keeps sending', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await endless((response) => {
      closed = once(response, 'close');
      const trickle = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(trickle));
    });
    const error: unknown = await open(server)
      .send(call)
      .catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(UnreachableError);
    expect((error as Error).message).toContain('its response did not arrive within 0.3 s');
    await closed;
  });
});
