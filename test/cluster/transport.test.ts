import { EventEmitter, getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { responseLimits } from '../../shared/cluster/http/exchange.ts';
import type { SocketLimits } from '../../shared/cluster/http/transport.ts';
import {
  type Outgoing,
  openTransport,
  type TlsOptions,
} from '../../shared/cluster/http/transport.ts';
import { createAuthority } from '../support/certificates.ts';
import { stopTheClock } from './access.ts';

type OnRequest = (socket: Socket, request: string, number: number) => void;

interface Given {
  readonly host?: string;
  readonly serve: OnRequest;
}

/** Starts a server that writes to the raw socket of each request; it is stopped at the end of the test. */
async function startServer({ host = '127.0.0.1', serve }: Given) {
  const { sockets, serveAll } = serverOf(serve);
  const port = await listen(createServer(serveAll), sockets, host);
  const url = new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return { url, sockets, ca: undefined };
}

async function startTls(serve: OnRequest) {
  const authority = createAuthority();
  const { certificate, key } = authority.issue('api server');
  const { sockets, serveAll } = serverOf(serve);
  const server = createTlsServer({ cert: certificate, key }, serveAll);
  const url = new URL(`https://127.0.0.1:${await listen(server, sockets, '127.0.0.1')}`);
  return { url, sockets, ca: authority.certificate };
}

function serverOf(serve: OnRequest) {
  const sockets: Socket[] = [];
  let requests = 0;
  const serveAll = (socket: Socket): void => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => serve(socket, data.toString('latin1'), ++requests));
  };
  return { sockets, serveAll };
}

async function listen(server: Server, sockets: readonly Socket[], host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const response = (text: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `content-length: ${text.length}`, ...headers, '', text].join('\r\n');

const get: Outgoing = { method: 'GET', path: '/', headers: {}, body: undefined };

function open(url: URL, over: Partial<SocketLimits> = {}, tls: TlsOptions = {}) {
  const transport = openTransport(url, over);
  onTestFinished(transport.close);
  return async (outgoing: Partial<Outgoing> = {}, signal?: AbortSignal) => {
    const { body, ...received } = await transport.exchange(
      { ...tls, ...get, ...outgoing },
      responseLimits,
      signal,
    );
    return { ...received, text: body.toString() };
  };
}

describe('a server that stops responding', () => {
  it('before the TLS handshake', async () => {
    const { url } = await startServer({ serve: () => undefined });
    const send = open(new URL(url.href.replace('http', 'https')), { silenceMs: 100 });
    await expect(send()).rejects.toThrow('it was silent for 0.1 s');
  });

  it.each([
    { when: 'before the headers', sent: '' },
    { when: 'within the headers', sent: 'HTTP/1.1 200 OK\r\ncontent-le' },
    { when: 'after the headers', sent: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n' },
    { when: 'within the body', sent: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx' },
  ])('$when', async ({ sent }) => {
    const { url, sockets } = await startServer({ serve: (socket) => void socket.write(sent) });
    const send = open(url, { silenceMs: 100 });
    await expect(send()).rejects.toThrow('it was silent for 0.1 s');
    await closed(sockets[0]!);
  });

  it.each([
    { what: 'informational responses', sent: 'HTTP/1.1 103 Early Hints\r\n\r\n' },
    { what: 'headers', sent: 'HTTP/1.1 200 OK\r\nx: ' },
  ])('but keeps sending $what', async ({ sent }) => {
    const { url, sockets } = await startServer({
      serve(socket) {
        socket.write(sent);
        const more = sent.endsWith('\r\n\r\n') ? sent : 'x';
        const timer = setInterval(() => socket.write(more), 10);
        socket.on('close', () => clearInterval(timer));
      },
    });
    const transport = openTransport(url, { silenceMs: 1000 });
    onTestFinished(transport.close);
    const twelve = Array.from({ length: 12 }, () =>
      transport.exchange(get, { ...responseLimits, ms: 200 }),
    );
    for (const result of await Promise.allSettled(twelve))
      expect(result).toMatchObject({
        reason: { message: 'its response did not arrive within 0.2 s' },
      });
    await Promise.all(sockets.map(closed));
  });

  it('occupies no socket', async () => {
    const { url } = await startServer({
      serve: (socket, _, number) => void (number > 24 && socket.write(response('late'))),
    });
    const send = open(url, { silenceMs: 100 });
    const all = await Promise.allSettled(Array.from({ length: 24 }, () => send()));
    expect(all.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await send()).toMatchObject({ text: 'late' });
  });
});

/** Resolves once a socket is closed; `once` would reject if the peer left something unread. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

describe('an aborted request', () => {
  it('in flight is broken off', async () => {
    const arrived = new EventEmitter();
    const { url, sockets } = await startServer({ serve: () => arrived.emit('request') });
    const controller = new AbortController();
    const sent = open(url)({}, controller.signal);
    await Promise.all([
      expect(sent).rejects.toThrow('enough'),
      once(arrived, 'request').then(() => controller.abort(new Error('enough'))),
    ]);
    await closed(sockets[0]!);
  });

  it('that waits for a socket is never sent', async () => {
    const waiting: Socket[] = [];
    const arrived = new EventEmitter();
    const paths: string[] = [];
    const { url } = await startServer({
      serve(socket, request) {
        paths.push(request.split(' ')[1]!);
        if (waiting.push(socket) >= 8) arrived.emit('eight');
      },
    });
    const send = open(url);
    const eight = Array.from({ length: 8 }, () => send());
    await once(arrived, 'eight');
    const controller = new AbortController();
    const ninth = send({ path: '/ninth' }, controller.signal);
    const tenth = send({ path: '/tenth' });
    controller.abort(new Error('enough'));
    for (const socket of waiting.splice(0)) socket.write(response('eight'));
    await expect(ninth).rejects.toThrow('enough');
    await Promise.all(eight);
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting[0]!.write(response('tenth'));
    expect(await tenth).toMatchObject({ text: 'tenth' });
    expect(paths.slice(8)).toEqual(['/tenth']);
  });

  it('leaves no listener on its signal, nor does a completed one', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { url, sockets } = await startServer({
      serve: (socket) => void socket.write(response('')),
    });
    const send = open(url);
    const { signal } = new AbortController();
    for (let sent = 0; sent < 50; sent++) await send({}, signal);
    await new Promise(setImmediate);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
    expect(sockets.length).toBeLessThanOrEqual(2);
    await expect(send({}, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });
});

describe('an idle socket', () => {
  it('is not used once the server has closed it', async () => {
    const { url, sockets } = await startServer({
      serve: (socket, _, number) => void socket.write(response(`${number}`)),
    });
    const send = open(url);
    await send();
    sockets[0]!.end();
    await closed(sockets[0]!);
    expect(await send()).toMatchObject({ text: '2' });
  });

  it('is not used after the process was frozen, because the connection may be dead', async () => {
    const clock = stopTheClock();
    const { url, sockets } = await startServer({
      serve: (socket, _, number) =>
        void (socket === sockets.at(-1) && socket.write(response(`${number}`))),
    });
    const send = open(url);
    await send();
    clock.advance(3);
    await send();
    expect(sockets.length).toBe(1);
    clock.advance(5);
    sockets.push(sockets[0]!);
    sockets.shift();
    expect(await send()).toMatchObject({ text: '3' });
    expect(new Set(sockets).size).toBe(2);
  });

  it('is kept no longer than the server allows', async () => {
    const { url, sockets } = await startServer({
      serve: (socket) => void socket.write(response('', 'keep-alive: timeout=1')),
    });
    const send = open(url);
    await send();
    await send();
    expect(sockets.length).toBe(2);
  });

  it('is closed if data arrives, which would be taken for the next response', async () => {
    const { url, sockets } = await startServer({
      serve: (socket, _, number) => void socket.write(response(`${number}`)),
    });
    const send = open(url);
    await send();
    sockets[0]!.write(response('forged'));
    await closed(sockets[0]!);
    expect(await send()).toMatchObject({ text: '2' });
  });

  it('fails the request if the server closes the socket at the same moment', async () => {
    const { url } = await startServer({
      serve: (socket, _, number) =>
        void (number === 1 ? socket.write(response('')) : socket.destroy()),
    });
    const send = open(url);
    await send();
    await expect(send()).rejects.toThrow(/socket hang up|ECONNRESET/);
  });
});

describe('a response', () => {
  it('that is sent before the request body is read occupies no socket', async () => {
    const { url } = await startServer({
      serve(socket, request) {
        if (request.startsWith('GET')) socket.write(response('ok'));
        else if (request.startsWith('PATCH')) {
          socket.pause();
          socket.write(response('unread'));
        }
      },
    });
    const send = open(url);
    const body = '0'.repeat(16 * 1024 * 1024);
    const large = () => send({ method: 'PATCH', body });
    const all = await Promise.all(Array.from({ length: 12 }, large));
    expect(new Set(all.map(({ text }) => text))).toEqual(new Set(['unread']));
    expect(await send()).toMatchObject({ text: 'ok' });
  });

  it.each([
    { of: 'something other than HTTP', sent: 'Bearer s3cret\r\n\r\n' },
    {
      of: 'an upgrade',
      sent: 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    },
    { of: 'endless headers', sent: `HTTP/1.1 200 OK\r\nx: ${'s3cret'.repeat(10_000)}` },
    { of: 'two lengths', sent: 'HTTP/1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\ns3cret' },
  ])('with $of causes an error that does not quote it', async ({ sent }) => {
    const { url } = await startServer({ serve: (socket) => void socket.write(sent) });
    const error: unknown = await open(url)().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('rawPacket');
    expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  });

  it('may follow informational responses', async () => {
    const { url } = await startServer({
      serve: (socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${response('final')}`),
    });
    expect(await open(url)()).toMatchObject({ code: 200, text: 'final' });
  });
});

const ok = 'HTTP/1.1 200 OK';
const chunked = 'transfer-encoding: chunked';

describe('an ambiguous response is an error', () => {
  it.each([
    ['another protocol', ['SSH-2.0-OpenSSH']],
    ['an informational response of HTTP/1.0', ['HTTP/1.0 100 Continue', '', '']],
    ['a code of two digits', ['HTTP/1.1 20 OK', '', '']],
    ['a code above 999', ['HTTP/1.1 2000 OK', '', '']],
    ['a line feed without a carriage return', [`${ok}\ncontent-length: 0`, '', '']],
    ['a folded header', [ok, 'a: b', ' c: d', '', '']],
    ['a space before the colon', [ok, 'content-length : 2', '', 'ab']],
    ['a header without a colon', [ok, 'content-length', '', '']],
    ['a header without a name', [ok, ': 2', '', '']],
    ['a line feed within a value', [ok, 'a: b\nc: d', '', '']],
    ['a carriage return within a value', [ok, 'a: b\rc: d', '', '']],
    ['two lengths', [ok, 'content-length: 1', 'content-length: 1', '', 'a']],
    ['a length with a sign', [ok, 'content-length: +1', '', 'a']],
    ['a length with a no-break space', [ok, 'content-length: 1\xa0', '', 'a']],
    ['an empty length', [ok, 'content-length:', '', '']],
    ['a length beyond numbers', [ok, `content-length: ${'9'.repeat(16)}`, '', 'a']],
    ['chunks with a length', [ok, chunked, 'content-length: 1', '', '1', 'a', '0', '', '']],
    ['a length with chunks', [ok, 'content-length: 1', chunked, '', '1', 'a', '0', '', '']],
    ['a chunk without a size', [ok, chunked, '', 'x', '']],
    ['a negative size', [ok, chunked, '', '-1', '']],
    ['a size with a space', [ok, chunked, '', '1 ', 'a', '0', '', '']],
    ['a size with a prefix', [ok, chunked, '', '0x1', 'a', '0', '', '']],
    [
      'a chunk size before a line feed without a carriage return',
      [ok, chunked, '', '1\na', '0', '', ''],
    ],
    ['more in a chunk than its size', [ok, chunked, '', '1', 'ab', '0', '', '']],
    ['an endless size', [ok, chunked, '', `1;${'x'.repeat(20_000)}`]],
    ['endless trailers', [ok, chunked, '', '0', ...Array(9000).fill('a:')]],
    ['a length in the trailers', [ok, chunked, '', '0', 'content-length: 3', '', '']],
  ])('%s', async (_, lines) => {
    const sent = Buffer.from(lines.join('\r\n'), 'latin1');
    const { url } = await startServer({ serve: (socket) => void socket.end(sent) });
    await expect(open(url)()).rejects.toThrow(Error);
  });
});

describe('a server that closes the connection', () => {
  it.each([
    { when: 'before a response', sent: '', why: 'socket hang up' },
    { when: 'within the headers', sent: 'HTTP/1.1 200', why: 'socket hang up' },
    {
      when: 'within the body',
      sent: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx',
      why: 'its response broke off',
    },
  ])('$when', async ({ sent, why }) => {
    const { url } = await startServer({ serve: (socket) => void socket.end(sent) });
    await expect(open(url)()).rejects.toThrow(why);
  });

  it('after each response gets no second request on it, and never has more than eight connections', async () => {
    let most = 0;
    const waiting: Socket[] = [];
    const { url, sockets } = await startServer({
      serve(socket, _, number) {
        most = Math.max(most, sockets.filter(({ closed }) => !closed).length);
        waiting.push(socket);
        if (number < 8) return;
        for (const one of waiting.splice(0)) one.end(response('', 'connection: close'));
      },
    });
    const send = open(url);
    await Promise.all(Array.from({ length: 40 }, () => send()));
    expect([sockets.length, most]).toEqual([40, 8]);
  });
});

describe('a request', () => {
  it.each([
    { of: 'a line break in its path', over: { path: '/a HTTP/1.1\r\nx: y' } },
    { of: 'a line break in a header', over: { headers: { accept: 'a\r\nx: y' } } },
    { of: 'a character beyond Latin-1 in a header', over: { headers: { accept: '…' } } },
  ])('with $of is never sent', async ({ over }) => {
    const { url, sockets } = await startServer({ serve: () => undefined });
    await expect(open(url)(over)).rejects.toThrow(TypeError);
    expect(sockets).toEqual([]);
  });

  it.skipIf(networkInterfaces().lo?.every(({ family }) => family !== 'IPv6'))(
    'reaches an IPv6 address',
    async () => {
      let seen = '';
      const { url } = await startServer({
        host: '::1',
        serve(socket, request) {
          seen = request;
          socket.write(response('6'));
        },
      });
      expect(await open(url)()).toMatchObject({ text: '6' });
      expect(seen).toContain(`Host: [::1]:${url.port}\r\n`);
    },
  );

  it('is refused once the transport is closed', async () => {
    const { url, sockets } = await startServer({ serve: () => undefined });
    const transport = openTransport(url);
    transport.close();
    await expect(transport.exchange(get, responseLimits)).rejects.toThrow(
      'the connection was closed',
    );
    expect(sockets).toEqual([]);
  });

  it('is broken off when the transport is closed, even while it waits for a socket', async () => {
    const arrived = new EventEmitter();
    const { url, sockets } = await startServer({
      serve: (_, __, number) => number === 8 && arrived.emit('eight'),
    });
    const transport = openTransport(url);
    const sent = Array.from({ length: 12 }, () => transport.exchange(get, responseLimits));
    void once(arrived, 'eight').then(transport.close);
    for (const result of await Promise.allSettled(sent))
      expect(result).toMatchObject({ reason: { message: 'the connection was closed' } });
    await Promise.all(sockets.map(closed));
  });

  it('with earlier TLS options is broken off at once when the transport is closed', async () => {
    const arrived = new EventEmitter();
    const { url } = await startServer({
      serve: (socket, _, number) =>
        void (number === 1 ? arrived.emit('first') : socket.write(response(''))),
    });
    const transport = openTransport(url);
    const refused = expect(transport.exchange(get, responseLimits)).rejects.toThrow(
      'the connection was closed',
    );
    await once(arrived, 'first');
    await transport.exchange({ ...get, servername: 'other' }, responseLimits);
    transport.close();
    await refused;
  }, 10_000);
});

describe('TLS', () => {
  it('reports the cause if the server closes the connection during the handshake', async () => {
    const { url } = await startServer({ serve: (socket) => void socket.end() });
    const send = open(new URL(url.href.replace('http', 'https')));
    await expect(send()).rejects.toThrow(/before secure TLS connection was established/);
  });

  it('uses renewed options for later requests, over new sockets', async () => {
    const waiting: Socket[] = [];
    let arrived = new EventEmitter();
    const { url, sockets, ca } = await startTls((socket) => {
      if (waiting.push(socket) === 8) arrived.emit('eight');
    });
    const transport = openTransport(url);
    onTestFinished(transport.close);
    const eight = (tls: TlsOptions) =>
      Array.from({ length: 8 }, () => transport.exchange({ ...get, ...tls }, responseLimits));
    const respondToAll = () => waiting.splice(0).map((socket) => socket.write(response('')));
    const before = eight({ ca });
    await once(arrived, 'eight');
    const after = eight({ ca, rejectUnauthorized: false });
    arrived = new EventEmitter();
    respondToAll();
    await Promise.all([once(arrived, 'eight'), ...before]);
    respondToAll();
    await Promise.all(after);
    expect(sockets.length).toBe(16);
  });

  /** Responds with the requested server name, and reports whether the session was resumed. */
  const serve: OnRequest = (socket) => {
    const { servername, isSessionReused } = socket as TLSSocket;
    socket.write(response(JSON.stringify([servername, isSessionReused.call(socket)])));
  };

  it('sends no server name for an IP address, and resumes its session', async () => {
    const clock = stopTheClock();
    const { url, ca } = await startTls(serve);
    const send = open(url, {}, { ca });
    expect(await send()).toMatchObject({ text: '[false,false]' });
    clock.advance(5);
    expect(await send()).toMatchObject({ text: '[false,true]' });
  });

  it('sends the server name of the credentials', async () => {
    const { url, ca } = await startTls(serve);
    const tls = { ca, servername: 'api.example.com' };
    expect(await open(url, {}, { ...tls, rejectUnauthorized: false })()).toMatchObject({
      text: '["api.example.com",false]',
    });
    await expect(open(url, {}, tls)()).rejects.toThrow('api.example.com');
  });
});
