import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askService } from '../../shared/cluster/ask-service.ts';

type Serve = (socket: Socket) => unknown;

/** Starts a service that calls `serve` at the beginning of each request. */
async function startService(serve: Serve): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => serve(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const counted = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n';
const upgrade = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: s3cret\r\n\r\n';
const options = { ms: 2_000, headers: {} };

const reset: Serve = (socket) => setImmediate(() => socket.resetAndDestroy());

const faults: Readonly<Record<string, Serve>> = {
  'before its response': (socket) => socket.destroy(),
  'within its headers': (socket) => socket.end('HTTP/1.1 200 OK\r\nx: s3c'),
  'with something other than HTTP': (socket) => socket.end('s3cret\r\n\r\n'),
  'with a chunk without a size': (socket) => socket.write(`${chunked}s3cret\r\n`),
  'within a chunk': (socket) => socket.end(`${chunked}f\r\ns3cret`),
  'within its body': (socket) => socket.end(`${counted}s3c`),
  'by switching protocols': (socket) => socket.end(upgrade),
  'by a reset within its body': (socket) => socket.write(`${counted}s3c`, () => reset(socket)),
};

// An error event without a listener would end the process and fail this file.
describe('a service that closes the connection early causes an error that quotes nothing of its response', () => {
  it.each(Object.entries(faults))('%s', async (_, serve) => {
    const url = await startService(serve);
    const began = Date.now();
    const error: unknown = await askService(url, options).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 9 })).not.toContain('s3c');
    expect(Date.now() - began).toBeLessThan(options.ms);
  });
});

it('data after a response causes at most an error', async () => {
  const url = await startService((socket) => socket.end(`${counted}answerHTTP/1.1 s3cret`));
  const response: unknown = await askService(url, options).then(
    ({ body }) => body.toString(),
    (cause: unknown) => cause,
  );
  expect(['answer', expect.any(Error)]).toContainEqual(response);
  expect(inspect(response, { depth: 9 })).not.toContain('s3c');
});

it('a large body that the service refuses without reading it causes a refusal or an error', async () => {
  const url = await startService((socket) => {
    socket.pause();
    socket.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n', () => reset(socket));
  });
  const body = Buffer.alloc(20_000_000);
  const response: unknown = await askService(url, { ...options, body }).then(
    ({ code }) => code,
    (cause: unknown) => cause,
  );
  expect([403, expect.any(Error)]).toContainEqual(response);
});

it('a service that does not end its response is abandoned after the timeout', async () => {
  const url = await startService((socket) => socket.write(`${counted}ans`));
  await expect(askService(url, { ...options, ms: 100 })).rejects.toThrow(
    'its response did not arrive within 0.1 s',
  );
});
