import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialsError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import { responseLimits } from '../../shared/cluster/http/exchange.ts';
import { parseProxy, proxyFor } from '../../shared/cluster/http/proxy.ts';
import { openTransport } from '../../shared/cluster/http/transport.ts';
import { serviceAccountTokens } from '../../shared/google/metadata-server.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { createAuthority } from '../support/certificates.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { startMetadataServer } from '../support/metadata-server.ts';
import { startProxy } from '../support/proxy.ts';
import { list, open } from './access.ts';

interface Row {
  readonly reason: string;
  readonly to?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly want: string | undefined;
}

const proxied = 'http://proxy.example:3128/';
const to = 'https://api.example.com:6443/';
const rows: Readonly<Record<string, Row>> = {
  None: { reason: 'usually there is no proxy', env: {}, want: undefined },
  Https: {
    reason: 'HTTPS_PROXY is for a server with TLS',
    env: { HTTPS_PROXY: proxied },
    want: proxied,
  },
  LowerCase: {
    reason: 'curl uses the lower-case spelling',
    env: { https_proxy: proxied },
    want: proxied,
  },
  UpperFirst: {
    reason: 'the upper-case spelling takes precedence, as in Go',
    env: { https_proxy: 'http://other', HTTPS_PROXY: proxied },
    want: proxied,
  },
  Empty: {
    reason: 'an empty variable counts as unset',
    env: { HTTPS_PROXY: '', https_proxy: '' },
    want: undefined,
  },
  NoScheme: {
    reason: 'the scheme defaults to http',
    env: { HTTPS_PROXY: 'proxy.example:3128' },
    want: proxied,
  },
  OtherScheme: {
    reason: 'HTTP_PROXY is not for a server with TLS',
    env: { HTTP_PROXY: proxied },
    want: undefined,
  },
  Http: {
    reason: 'HTTP_PROXY is for a server without TLS',
    to: 'http://api.example.com',
    env: { HTTP_PROXY: proxied, HTTPS_PROXY: 'http://other' },
    want: proxied,
  },
  All: {
    reason: 'curl reads ALL_PROXY, but Go does not',
    env: { ALL_PROXY: proxied },
    want: undefined,
  },
};

describe('the proxy of the environment', () => {
  it.each(casesOf(rows))('%s', (_, { to: server = to, env, want }) => {
    expect(proxyFor(new URL(server), env)?.href).toBe(want);
  });

  it.each(['http://localhost:1', 'https://127.0.0.1', 'https://127.9.9.9', 'https://[::1]:6443'])(
    'is not used for %s',
    (server) => {
      const env = { HTTPS_PROXY: proxied, HTTP_PROXY: proxied };
      expect(proxyFor(new URL(server), env)).toBeUndefined();
    },
  );

  it.each(['ftp://proxy.example', 'http://', 'http://me:s3cret@', 'socks4://proxy.example'])(
    'is an error that names the variable and does not quote it: %s',
    (address) => {
      const read = () => proxyFor(new URL(to), { https_proxy: address });
      expect(read).toThrow(CredentialsError);
      expect(read).toThrow(
        'HTTPS_PROXY is not the address of an http, https or socks5 proxy; write it as http://HOST:PORT',
      );
    },
  );
});

/** Expected values are those of golang.org/x/net/http/httpproxy; `yes` means without the proxy. */
const exceptions: readonly (readonly [entry: string, server: string, yes: boolean])[] = [
  ['*', to, true],
  ['other.example, * ', to, true],
  ['api.example.com', to, true],
  ['API.Example.COM', to, true],
  ['example.com', to, true],
  ['example.com', 'https://example.com', true],
  ['.example.com', to, true],
  ['.example.com', 'https://example.com', false],
  ['*.example.com', to, true],
  ['*.example.com', 'https://example.com', false],
  ['xample.com', to, false],
  ['api', to, false],
  ['', to, false],
  [',, ,', to, false],
  [':6443', to, false],
  ['api.example.com:6443', to, true],
  ['api.example.com:', to, true],
  ['example.com:443', to, false],
  ['example.com:443', 'https://api.example.com', true],
  ['example.com:80', 'http://api.example.com', true],
  ['example.com:443', 'http://api.example.com', false],
  ['10.0.0.1', 'https://10.0.0.1', true],
  ['10.0.0.1', 'https://10.0.0.11', false],
  ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
  ['10.0.0.1:443', 'https://10.0.0.1:6443', false],
  ['10.0.0.0/8', 'https://10.1.2.3:6443', true],
  ['10.0.0.0/8', 'https://11.0.0.1', false],
  ['10.0.0.0/8', to, false],
  ['10.0.0.0/33', 'https://10.0.0.1', false],
  ['0.0.0.0/0', 'https://10.0.0.1', true],
  ['fd00::/8', 'https://[fd12::1]:6443', true],
  ['fd00::/8', 'https://[fe80::1]', false],
  ['fd00:0::1', 'https://[fd00::1]', true],
  ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
  ['[fd00::1]:443', 'https://[fd00::1]:6443', false],
  ['internal,10.0.0.0/8,example.com', to, true],
];

describe('NO_PROXY', () => {
  it.each(exceptions)('%s for %s: %s', (entry, server, yes) => {
    const env = { HTTPS_PROXY: proxied, HTTP_PROXY: proxied };
    const isDirect = (more: object) => proxyFor(new URL(server), { ...env, ...more }) === undefined;
    expect(isDirect({ NO_PROXY: entry })).toBe(yes);
    expect(isDirect({ no_proxy: entry })).toBe(yes);
  });
});

const get = { method: 'GET', path: '/', headers: {}, body: undefined } as const;

function through(server: string, proxy: string, over: object = {}) {
  const transport = openTransport(new URL(server), { proxy: new URL(proxy), ...over });
  onTestFinished(transport.close);
  return async () => (await transport.exchange(get, responseLimits)).code;
}

describe('a request through a proxy', () => {
  it('reaches a server with TLS through a tunnel, over eight sockets that are reused', async () => {
    const guarded = await startGuardedCluster(({ token }) => token === 't');
    const proxy = await startProxy({ to: guarded.url });
    const connection = open({
      server: guarded.url,
      proxy: new URL(proxy.url.replace('//', '//me:p%40ss@')),
      access: async () => ({
        tls: { ca: guarded.authority.certificate },
        authorization: 'Bearer t',
      }),
    });
    await Promise.all(Array.from({ length: 40 }, () => connection.send(list)));
    await connection.send(list);
    expect(proxy.asked.length).toBe(8);
    expect(proxy.most()).toBe(8);
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    const { host } = new URL(guarded.url);
    expect(proxy.asked[0]).toEqual({ target: host, authorization });
    expect(guarded.refused()).toBe(0);
  });

  it('is also tunnelled to a server without TLS', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    const proxy = await startProxy({ to: api.url });
    expect(await through(api.url, proxy.url)()).toBe(200);
    expect(proxy.asked).toEqual([{ target: new URL(api.url).host, authorization: undefined }]);
  });

  it('uses the proxy of the environment', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    const proxy = await startProxy({ to: api.url });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const credentials = {
      server: 'http://api.example.com',
      access: async () => ({ tls: {}, authorization: undefined }),
    };
    expect(await open(credentials).send(list)).toMatchObject({ value: {} });
    expect(proxy.asked).toEqual([{ target: 'api.example.com:80', authorization: undefined }]);
  });

  it('does not trust the CA of the cluster for the proxy itself', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    const identity = createAuthority().issue('proxy');
    const proxy = await startProxy({ to: api.url, identity });
    await expect(through(api.url, proxy.url)()).rejects.toThrow('unable to verify');
  });
});

const responses: Readonly<Record<string, string>> = {
  Forbidden: 'HTTP/1.1 403 Forbidden\r\ncontent-length: 6\r\n\r\ns3cret',
  // From the API server, this response would mean that the object is gone.
  NotFound: 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
  NoCredentials: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
  Page: 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>s3cret</html>',
  NoHttp: 's3cret\r\n\r\n',
  Nothing: '',
  Endless: `HTTP/1.1 200 OK\r\nx: ${'s3cret'.repeat(10_000)}`,
};

describe('the response of a proxy that does not connect is not one of the API server', () => {
  it.each(Object.entries(responses))('%s', async (_, response) => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', response });
    const connection = open({
      server: 'https://api.example.com',
      proxy: new URL(proxy.url.replace('//', '//me:s3cret@')),
      access: async () => ({ tls: {}, authorization: 'Bearer s3cret' }),
    });
    const error: unknown = await connection.send(list).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UnreachableError);
    expect((error as Error).message).toContain(
      `no valid response from the API server https://api.example.com through the proxy 127.0.0.1:${proxy.port} (`,
    );
    expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  });

  it('a silent proxy causes an error, and occupies no socket', async () => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', response: undefined });
    const send = through('https://api.example.com', proxy.url, { silenceMs: 100 });
    const all = await Promise.allSettled(Array.from({ length: 24 }, send));
    for (const result of all)
      expect(result).toMatchObject({
        reason: { message: expect.stringMatching(/connect(ion|) within 0.1 s$/) },
      });
    while (proxy.open() > 0) await new Promise(setImmediate);
  });

  it('closing the connection ends requests that wait for the proxy, and leaves no socket', async () => {
    const proxy = await startProxy({ to: 'http://127.0.0.1:1', response: undefined });
    const access = async () => ({ tls: {}, authorization: undefined });
    const credentials = { server: to, access, proxy: new URL(proxy.url) };
    const { send, close } = connect(credentials, { silenceMs: 600_000 });
    const sent = send(list).catch((error: Error) => error);
    while (proxy.asked.length === 0) await new Promise(setImmediate);
    close();
    expect(await sent).toMatchObject({ message: expect.stringContaining('connection was closed') });
    while (proxy.open() > 0) await new Promise(setImmediate);
  });

  it('a missing proxy causes an error', async () => {
    const send = through('https://api.example.com', 'http://127.0.0.1:1');
    await expect(send()).rejects.toThrow('ECONNREFUSED');
  });
});

/** Starts a SOCKS5 proxy (RFC 1928) that asks for a password and, once `ready`, always connects to one server. */
async function startSocks(port: number, ready = Promise.resolve()) {
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined).on('close', () => ended.resolve());
    const steps = [
      () => socket.write(Buffer.of(5, 2)),
      () => socket.write(Buffer.of(1, 0)),
      () => {
        const onward = openSocket(port, '127.0.0.1', async () => {
          await ready;
          socket.write(Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 80));
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => socket.destroy());
      },
    ];
    socket.on('data', (data) => {
      if (steps.length > 0) seen.push(data.toString('latin1'));
      steps.shift()?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { seen, ended: ended.promise, port: (server.address() as AddressInfo).port };
}

it('a socket that a SOCKS5 proxy connects too late is closed', async () => {
  const api = await startApiEndpoint(() => ({ body: {} }));
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const socks = await startSocks(Number(new URL(api.url).port), ready);
  const address = `socks5://me:pass@127.0.0.1:${socks.port}`;
  await expect(through('http://api.example.com', address, { silenceMs: 100 })()).rejects.toThrow(
    /connect(ion|) within 0.1 s$/,
  );
  resolve();
  await socks.ended;
});

it('a SOCKS5 proxy resolves the host name, and gets user and password', async () => {
  const api = await startApiEndpoint(() => ({ body: {} }));
  const socks = await startSocks(Number(new URL(api.url).port));
  const send = through('http://api.example.com', `socks5://me:pass@127.0.0.1:${socks.port}`);
  expect(await send()).toBe(200);
  expect(await send()).toBe(200);
  expect(socks.seen[1]).toContain('me\x04pass');
  expect(socks.seen[2]).toContain('api.example.com');
  expect(socks.seen.length).toBe(3);
});

it('the metadata server is asked without a proxy', async () => {
  const metadata = await startMetadataServer({
    token: () => ({ access_token: 'direct', expires_in: 3599 }),
  });
  const proxy = await startProxy({ to: metadata.url });
  for (const name of ['HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, proxy.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { port } = new URL(metadata.url);
  // 0.0.0.0 reaches this machine, but is not a loopback address.
  const server = `http://0.0.0.0:${port}`;
  expect(proxyFor(new URL(server))?.href).toBe(`${proxy.url}/`);
  expect(await serviceAccountTokens(server)(false)).toBe('direct');
  expect(proxy.asked).toEqual([]);
});

it('a proxy-url may lack the scheme, and is not quoted in an error', () => {
  expect(parseProxy('proxy.example:1', 'it').href).toBe('http://proxy.example:1/');
  expect(() => parseProxy('ftp://me:s3cret@x', 'proxy-url of cluster "main"')).toThrow(
    /^proxy-url of cluster "main" is not the address of an http, https or socks5 proxy; /,
  );
});

it('a connection with an unusable proxy fails at once', () => {
  vi.stubEnv('HTTPS_PROXY', 'ftp://proxy');
  onTestFinished(() => void vi.unstubAllEnvs());
  const credentials = { server: to, access: async () => ({ tls: {}, authorization: undefined }) };
  expect(() => connect(credentials)).toThrow(CredentialsError);
});
