import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  CredentialsError,
  isTransient,
  KubeError,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import { type Call, connect } from '../../shared/cluster/http/connection.ts';
import { type ApiReply, startApiEndpoint, status } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { createAuthority } from '../support/certificates.ts';

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

describe('a connection', () => {
  it('sends the expected request', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    await open(api.url, async () => 'Bearer t').send({
      method: 'PATCH',
      path: '/api/v1/x?force=true',
      body: { a: 1 },
      contentType: 'application/apply-patch+yaml',
      accept: 'application/json;as=Table',
      what: 'apply x',
    });
    expect(api.requests).toEqual([
      {
        method: 'PATCH',
        path: '/api/v1/x',
        query: { force: 'true' },
        body: { a: 1 },
        headers: expect.objectContaining({
          accept: 'application/json;as=Table',
          'accept-encoding': 'gzip',
          'user-agent': 'serverless-reconciler',
          'content-type': 'application/apply-patch+yaml',
          authorization: 'Bearer t',
        }),
      },
    ]);
  });

  it('asks for JSON and sends no credentials if there are none', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    await open(api.url).send(call);
    const { headers } = api.requests[0]!;
    expect(headers.accept).toBe('application/json');
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('content-type');
  });

  it('keeps the path of the server URL', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    await open(`${api.url}/k8s/clusters/c-1/`).send(call);
    expect(api.requests[0]?.path).toBe('/k8s/clusters/c-1/api/v1/services');
  });

  it('inflates compressed responses and counts bytes on the wire', async () => {
    const packed = gzipSync(JSON.stringify({ text: 'x'.repeat(10_000) }));
    const api = await startApiEndpoint(() => ({
      body: packed,
      headers: { 'content-encoding': 'gzip' },
    }));
    expect(await open(api.url).send(call)).toEqual({
      value: { text: 'x'.repeat(10_000) },
      bytes: packed.length,
    });
  });

  it('reads a compressed error', async () => {
    const { code, body } = status(409, 'Conflict');
    const api = await startApiEndpoint(() => ({
      code,
      body: gzipSync(JSON.stringify(body)),
      headers: { 'content-encoding': 'gzip' },
    }));
    expect(await failureOf(open(api.url).send(call))).toMatchObject({ reason: 'Conflict' });
  });
});

describe('a server that echoes the credentials it was sent', () => {
  const token = 'eyJ.s3cret-t/ken+';
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const replyWith = (text: string): ApiReply =>
    status(403, text, { message: text, details: { causes: [{ field: text, message: text }] } });
  it.each([
    { reason: 'a token in a Status', sent: `Bearer ${token}`, given: replyWith(`no: ${token}`) },
    {
      reason: 'a token in plain text',
      sent: `Bearer ${token}`,
      given: { code: 500, body: `no: ${token}` },
    },
    {
      reason: 'a token cut off by our own limit',
      sent: `Bearer ${token}`,
      given: { code: 500, body: `${'x'.repeat(190)} ${token}` },
    },
    {
      reason: 'a token in a URL',
      sent: `Bearer ${token}`,
      given: replyWith(`/login?token=${encodeURIComponent(token)}`),
    },
    {
      reason: 'a token escaped in JSON',
      sent: `Bearer ${token}`,
      given: {
        code: 401,
        body: `{"kind":"Status","message":"${token.replace('/', '\\/')}","reason":"Unauthorized"}`,
      },
    },
    {
      reason: 'a basic authorization header',
      sent: basic('me:s3cret'),
      given: replyWith(basic('me:s3cret')),
    },
    { reason: 'a password', sent: basic('me:s3cret'), given: replyWith('wrong password s3cret') },
  ])('is not quoted in the error: $reason', async ({ sent, given }) => {
    const api = await startApiEndpoint(() => given);
    const error = await failureOf(open(api.url, async () => sent).send(call));
    expect(error).toBeInstanceOf(KubeError);
    const all = inspect(error, { depth: 9 });
    const part = sent.slice('Basic '.length);
    for (const secret of [part, encodeURIComponent(part), 's3cret', 'eyJ.'])
      expect(all).not.toContain(secret);
    if (!all.includes('xxx')) expect(all).toContain('[masked]');
  });

  it('is quoted except for the password, even if a word contains a short one', async () => {
    const api = await startApiEndpoint(() => status(403, 'Forbidden'));
    const error = await failureOf(open(api.url, async () => basic('me:it')).send(call));
    expect((error as Error).message).toContain('it is Forbidden');
  });
});

describe('credentials over plain HTTP', () => {
  it.each(['http://10.0.0.1:8080', 'http://api.example.com', 'http://127.0.0.1.example.com'])(
    'are not sent to %s, nor is the request',
    async (server) => {
      const error = await failureOf(open(server, async () => 'Bearer t').send(call));
      expect(error).toBeInstanceOf(CredentialsError);
      expect((error as Error).message).toBe(
        `cannot list services: credentials are not sent to ${server}, because they would travel unencrypted; use https`,
      );
    },
  );
});

interface Refusal {
  readonly reason: string;
  readonly given: ApiReply;
  readonly want: Partial<KubeError>;
}

const invalid = { reason: 'FieldValueInvalid', field: 'spec.replicas', message: 'no' };
const refusals: Record<string, Refusal> = {
  'C-10 Conflict': {
    reason: 'the message comes from the Status',
    given: status(409, 'Conflict'),
    want: {
      code: 409,
      reason: 'Conflict',
      causes: [],
      retryAfter: undefined,
      message: 'cannot list services: Conflict: it is Conflict',
    },
  },
  'C-10 Causes': {
    reason: 'the causes come from the Status',
    given: status(422, 'Invalid', { details: { causes: [invalid] } }),
    want: { code: 422, reason: 'Invalid', causes: [invalid] },
  },
  'C-10 PlainText': {
    reason: 'the response to 429 is plain text',
    given: {
      code: 429,
      body: 'Too many requests, please try again later.\n',
      headers: { 'retry-after': '2' },
    },
    want: {
      code: 429,
      reason: 'TooManyRequests',
      retryAfter: 2_000,
      message: 'cannot list services: TooManyRequests: Too many requests, please try again later.',
    },
  },
  'C-10 RetryAsDate': {
    reason: 'a date as the delay is ignored',
    given: {
      ...status(503, 'ServiceUnavailable'),
      headers: { 'retry-after': 'Sat, 21 Nov 2026 12:00:00 GMT' },
    },
    want: { code: 503, reason: 'ServiceUnavailable', retryAfter: undefined },
  },
  NoStatus: {
    reason: 'a proxy in between responds with long HTML',
    given: { code: 502, body: `<html>${'x'.repeat(500)}` },
    want: {
      code: 502,
      reason: 'HTTP 502',
      message: `cannot list services: HTTP 502: <html>${'x'.repeat(194)}`,
    },
  },
  NotServed: {
    reason: 'the response for a group that is not served is plain text as well',
    given: { code: 404, body: '404 page not found\n' },
    want: { code: 404, reason: 'NotFound' },
  },
  Null: {
    reason: 'the response is JSON, but not a Status',
    given: { code: 500, body: null },
    want: { code: 500, reason: 'HTTP 500' },
  },
};

describe('an error response', () => {
  it.each(casesOf(refusals))('%s', async (_, { given, want }) => {
    const api = await startApiEndpoint(() => given);
    const error = await failureOf(open(api.url).send(call));
    expect(error).toBeInstanceOf(KubeError);
    expect({ ...(error as KubeError), message: (error as Error).message }).toMatchObject(want);
  });
});

const breaks: Record<string, { reason: string; given: ApiReply }> = {
  'C-10 Dropped': { reason: 'the server closes before a response', given: 'drop' },
  'C-10 Truncated': {
    reason: 'the server closes during a response',
    given: { body: '{"kind":', headers: { 'content-length': '8' } },
  },
  'C-10 NoJson': {
    reason: 'something other than an API server responds',
    given: { body: '<html>sign in</html>' },
  },
  'C-10 Redirect': {
    reason: 'a redirect is not from the API server, and its target is not shown',
    given: {
      code: 302,
      headers: { location: 'https://login.example/?html' },
      body: { kind: 'ServiceList', metadata: {}, items: [] },
    },
  },
  'C-10 NotModified': {
    reason: 'a 304 is unexpected',
    given: { code: 304, body: '' },
  },
  'C-10 NoObject': { reason: 'JSON with a Secret is cut off', given: { body: '{"password":x' } },
  'C-10 NoGzip': {
    reason: 'the compressed body is invalid',
    given: { body: 'xxxx', headers: { 'content-encoding': 'gzip' } },
  },
};

describe('a connection that breaks', () => {
  it.each(casesOf(breaks))('%s', async (_, { given }) => {
    const api = await startApiEndpoint(() => given);
    const error = await failureOf(open(api.url).send(call));
    expect(error).toBeInstanceOf(UnreachableError);
    expect((error as Error).message).toContain(
      `cannot list services: no valid response from the API server ${api.url} (`,
    );
    expect((error as Error).message).not.toMatch(/html|password/);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  it('C-10 is distinguished from one that was never established', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    const error = await failureOf(open(`http://127.0.0.1:${port}`).send(call));
    expect(error).toBeInstanceOf(UnreachableError);
    expect((error as Error).message).toMatch(/ECONNREFUSED.*is it running and reachable/);
  });
});

describe('a certificate of another authority', () => {
  it('is named as the cause, without the advice of Node', async () => {
    const { certificate: cert, key } = createAuthority().issue('kube-apiserver');
    const server = createTlsServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}`;
    const error = await failureOf(open(url).send(call));
    expect(error).toBeInstanceOf(UnreachableError);
    expect((error as Error).message).toBe(
      `cannot list services: the certificate of the API server ${url} is not accepted (unable to verify the first certificate); check the certificate authority in the kubeconfig, the service account or CLUSTER_CA`,
    );
  });
});

describe('a request that cannot be sent', () => {
  it('C-10 fails at once, and occupies no socket', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    let token = 'a\nb';
    const connection = open(api.url, async () => `Bearer ${token}`);
    for (let sent = 0; sent < 20; sent++) {
      const error = await failureOf(connection.send(call));
      expect((error as Error).message).toBe(
        'cannot list services: this request cannot be sent (Invalid character in header content ["authorization"])',
      );
    }
    token = 'c';
    expect(await connection.send(call)).toMatchObject({ value: {} });
    expect(api.requests.length).toBe(1);
  });

  it('is not mistaken for a lost connection', async () => {
    const error = await failureOf(open('http://127.0.0.1:1').send({ ...call, path: '/a b' }));
    expect((error as Error).message).toBe(
      'cannot list services: this request cannot be sent (Request path contains unescaped characters)',
    );
    expect(isTransient(error)).toBe(false);
  });
});
