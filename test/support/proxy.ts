import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Identity } from './certificates.ts';

interface ProxyOptions {
  /** The server that every tunnel leads to, regardless of the requested name. */
  readonly to: string;
  /** Certificate that makes it an https proxy. */
  readonly identity?: Identity;
  /** Response to CONNECT; undefined means none. */
  readonly response?: string | undefined;
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Starts a proxy on a free port that records the requests for tunnels; it is stopped at the end of the test. */
export async function startProxy({ to, identity, ...options }: ProxyOptions) {
  const response = 'response' in options ? options.response : established;
  const asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  const open = new Set<Socket>();
  let most = 0;
  const server: Server =
    identity === undefined
      ? createServer()
      : createTlsServer({ cert: identity.certificate, key: identity.key });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    asked.push({ target: url, authorization: headers['proxy-authorization'] });
    socket.on('error', () => undefined).on('end', () => socket.end());
    if (response === undefined) return void socket.resume();
    if (response !== established) return void socket.end(response);
    const { hostname, port } = new URL(to);
    const onward = connect(Number(port), hostname, () => {
      socket.write(response);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const scheme = identity === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    asked,
    open: () => open.size,
    most: () => most,
  };
}
