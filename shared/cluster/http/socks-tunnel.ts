import type { Socket } from 'node:net';
import { SocksClient } from 'socks';

/**
 * Connects to a server through a SOCKS5 proxy. As in Go, the proxy resolves the server's name. Closes the socket if
 * `signal` was aborted meanwhile.
 */
export async function socksTunnel(
  proxy: URL,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { socket } = await SocksClient.createConnection({
    proxy: {
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: Number(proxy.port || 1080),
      type: 5,
      userId: decodeURIComponent(proxy.username),
      password: decodeURIComponent(proxy.password),
    },
    command: 'connect',
    destination: { host, port },
  });
  if (signal.aborted) socket.destroy();
  return socket;
}
