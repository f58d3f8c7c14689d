import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { DeadlineError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { openPublish } from '../../shared/google/platform.ts';
import { type ApiReply, startApiEndpoint } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';

const topic = 'projects/p/topics/scopes';
const soon = (): number => Date.now() + 1_000;

/** Publishes to a server with these replies. */
async function publishTo(reply: (number: number) => ApiReply | Promise<ApiReply>) {
  const api = await startApiEndpoint((_, number) => reply(number));
  const publish = openPublish(
    { name: topic, emulator: new URL(api.url).host },
    { responseMs: 300, backoffMs: 2 },
  );
  return { api, publish };
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

interface Failure {
  readonly reason: string;
  readonly given: (number: number) => ApiReply | Promise<ApiReply>;
  readonly tries: number | undefined;
  readonly want: RegExp;
}

const failures: Record<string, Failure> = {
  Refused: {
    reason: 'another attempt would be refused as well',
    given: () => ({ code: 404, body: 'no such topic\n' }),
    tries: 1,
    want: /: HTTP 404 no such topic$/,
  },
  Silent: {
    reason: 'a hanging resync would go unnoticed',
    given: () => new Promise<never>(() => {}),
    tries: undefined,
    want: /: no response \(its response did not arrive within .* s\)$/,
  },
  CutOff: {
    reason: 'the response stops half-way',
    given: () => ({ body: '{', headers: { 'content-length': '10' } }),
    tries: undefined,
    want: /: no response \(.*\)$/,
  },
  Reset: {
    reason: 'the message of fetch itself is only "fetch failed"',
    given: () => 'drop',
    tries: undefined,
    want: /: no response \((?!fetch failed).+\)$/,
  },
};

describe('a topic that cannot be published to', () => {
  it.each(casesOf(failures))('%s', async (_, { given, tries, want }) => {
    const { api, publish } = await publishTo(given);
    const begun = Date.now();
    const error = await failureOf(publish([{ a: 1 }], soon()));
    expect(error).toBeInstanceOf(UnreachableError);
    expect((error as Error).message).toMatch(new RegExp(`^cannot publish to ${topic}`));
    expect((error as Error).message).toMatch(want);
    expect(Date.now() - begun).toBeLessThan(20_000);
    if (tries !== undefined) expect(api.requests.length).toBe(tries);
  });

  it('because nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    const publish = openPublish({ name: topic, emulator: `127.0.0.1:${port}` }, { backoffMs: 2 });
    expect(await failureOf(publish([{}], soon()))).toMatchObject({
      name: 'UnreachableError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('because no token is available', async () => {
    const tokens = async () => {
      throw new Error('the metadata server of Google Cloud does not respond');
    };
    const publish = openPublish({ name: topic, emulator: undefined }, { tokens });
    expect(await failureOf(publish([{}], soon()))).toMatchObject({
      name: 'UnreachableError',
      message: `cannot publish to ${topic}: the metadata server of Google Cloud does not respond`,
    });
  });
});

describe('messages', () => {
  it('are sent with a token, and once more with a fresh one if it is refused', async () => {
    const api = await startApiEndpoint(({ headers }) =>
      headers.authorization === 'Bearer fresh' ? { body: {} } : { code: 401, body: '' },
    );
    const tokens = async (fresh: boolean) => (fresh ? 'fresh' : 'revoked');
    const publish = openPublish({ name: topic, emulator: undefined }, { server: api.url, tokens });
    await publish([{ a: 1 }], soon());
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer revoked',
      'Bearer fresh',
    ]);
  });

  it('are sent in batches of a thousand, and again after a lost connection', async () => {
    const { api, publish } = await publishTo((number) => (number === 1 ? 'drop' : { body: {} }));
    await publish(
      Array.from({ length: 2_500 }, (_, at) => ({ at })),
      soon(),
    );
    const sizes = api.requests.map(
      ({ body }) => (body as { readonly messages: readonly unknown[] }).messages.length,
    );
    expect(sizes).toEqual([1000, 1000, 1000, 500]);
  });

  it('are not sent after the deadline', async () => {
    const { api, publish } = await publishTo(() => ({ body: {} }));
    const error = await failureOf(publish([{}], Date.now() - 1));
    expect(error).toBeInstanceOf(DeadlineError);
    expect((error as Error).message).toBe(
      `cannot publish to ${topic}: the run's deadline has passed; raise DEADLINE_SECONDS if this persists`,
    );
    expect(api.requests).toEqual([]);
  });
});
