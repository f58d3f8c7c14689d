import type { ConnectionOptions } from 'node:tls';
import pLimit from 'p-limit';
import { exchange, type Received, type ResponseLimits } from './exchange.ts';
import { openAgent, withoutBrackets } from './proxy.ts';

export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'
>;

export type RequestHeaders = Readonly<Record<string, string | string[]>>;

export interface SocketLimits {
  /** Maximum number of requests in flight; default: 8. */
  readonly sockets: number;
  /** After this time without a byte, the connection counts as lost. */
  readonly silenceMs: number;
  /** An idle socket is kept open for this long. */
  readonly idleMs: number;
}

export interface Outgoing extends TlsOptions {
  readonly method: string;
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body: string | undefined;
}

/**
 * Sends requests to one server over sockets that stay open. Requests with other TLS options use other sockets.
 *
 * Guarantees: at most `sockets` requests are in flight. Each request ends, whatever the server does, and then occupies
 * no socket.
 * Caveats: if the server closes the socket while a request is being sent, the request fails. It is not sent again.
 */
export function openTransport(
  server: URL,
  {
    proxy,
    sockets = 8,
    silenceMs = 30_000,
    idleMs = 4_000,
  }: Partial<SocketLimits> & { readonly proxy?: URL | undefined } = {},
) {
  const limited = pLimit(sockets);
  const { protocol, hostname, port } = server;
  const address = { protocol, host: withoutBrackets(hostname), port, timeout: silenceMs };
  const closing = new AbortController();
  const closed = closing.signal;
  const kept = {
    keepAlive: true,
    maxSockets: sockets,
    timeout: idleMs,
    connectMs: silenceMs,
    closed,
  };
  const agent = openAgent(protocol, proxy, kept);
  let lastUsed = 0;
  const send = async (
    { body, ...outgoing }: Outgoing,
    limits: ResponseLimits,
    signal?: AbortSignal,
  ): Promise<Received> => {
    signal?.throwIfAborted();
    closed.throwIfAborted();
    // Closes idle sockets here, because no timer runs while the platform has frozen the process.
    if (Date.now() - lastUsed > idleMs)
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    try {
      const sent = { ...address, ...outgoing, agent };
      return await exchange(sent, body, { ...limits, signal });
    } catch (error) {
      closed.throwIfAborted();
      throw error;
    } finally {
      lastUsed = Date.now();
    }
  };
  return {
    /** Rejects with a TypeError if the request cannot be sent. */
    exchange: (...sent: Parameters<typeof send>) => limited(() => send(...sent)),
    close() {
      closing.abort(new Error('the connection was closed'));
      agent.destroy();
    },
  };
}

/** Reports whether requests leave the machine unencrypted. */
export const isUnencrypted = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
