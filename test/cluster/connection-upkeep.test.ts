import { describe, expect, it, onTestFinished } from 'vitest';
import { type Call, connect } from '../../shared/cluster/http/connection.ts';
import { startApiEndpoint, status } from '../support/api-endpoint.ts';

const call: Call = { method: 'GET', path: '/api/v1/services', what: 'list services' };

function open(
  server: string,
  authorization: (fresh: boolean) => Promise<string | undefined> = async () => undefined,
) {
  const access = async (fresh: boolean) => ({ tls: {}, authorization: await authorization(fresh) });
  const connection = connect({ server, access });
  onTestFinished(connection.close);
  return connection;
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value,
    (error: unknown) => error,
  );

describe('refused credentials', () => {
  /** Sends a request to a server that accepts one token; `asked` tells how the tokens were requested. */
  const against = async (accepted: string, tokens: readonly (string | undefined)[]) => {
    const api = await startApiEndpoint(({ headers }) =>
      headers.authorization === accepted ? { body: {} } : status(401, 'Unauthorized'),
    );
    const asked: boolean[] = [];
    const connection = open(api.url, async (fresh) => {
      asked.push(fresh);
      return tokens[asked.length - 1];
    });
    const outcome = await failureOf(connection.send(call));
    return { outcome, asked, requests: api.requests.length };
  };

  it('C-10 are renewed once', async () => {
    expect(await against('Bearer new', ['Bearer old', 'Bearer new'])).toMatchObject({
      outcome: { value: {} },
      asked: [false, true],
      requests: 2,
    });
  });

  it('C-10 are not renewed twice', async () => {
    expect(await against('Bearer x', ['Bearer old', 'Bearer new'])).toMatchObject({
      outcome: { code: 401, reason: 'Unauthorized' },
      asked: [false, true],
      requests: 2,
    });
  });

  it('are not renewed, and the request not repeated, without a credential source', async () => {
    expect(await against('Bearer x', [undefined])).toMatchObject({
      outcome: { code: 401 },
      asked: [false, true],
      requests: 1,
    });
  });
});

describe('sockets to an API server', () => {
  it('are at most eight for any number of requests', async () => {
    let arrived = 0;
    let open8 = (): void => {};
    const eight = new Promise<void>((resolve) => {
      open8 = resolve;
    });
    const api = await startApiEndpoint(async () => {
      if (++arrived === 8) open8();
      await eight;
      return { body: {} };
    });
    const connection = open(api.url);
    await Promise.all(Array.from({ length: 40 }, () => connection.send(call)));
    expect(api.sockets()).toBe(8);
    expect(api.requests.length).toBe(40);
  });

  it('are reused, except that one may be opened while the last is being freed', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    const connection = open(api.url);
    for (let sent = 0; sent < 20; sent++) await connection.send(call);
    expect(api.sockets()).toBeLessThanOrEqual(2);
  });
});
