import type { Agent } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import pLimit from 'p-limit';
import type { Received, ResponseLimits } from './exchange.ts';
import { exchange } from './exchange.ts';
import { openAgent, withoutBrackets } from './proxy.ts';

/** The TLS options that a cluster's credentials set. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'
>;

/**
 * Headers; an array is sent as one header for each value. Values must be ASCII: Node sends others as Latin-1
 * or, with a body, as UTF-8.
 */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

export interface SocketTimeouts {
  /** Time limit for connecting, including the TLS handshake. */
  readonly connectMs: number;
  /** Time without a byte from the server after which the connection counts as lost. */
  readonly silenceMs: number;
  /** Time for which an idle socket is kept, unless the server asks for less. */
  readonly idleMs: number;
}

interface TransportOptions extends Partial<SocketTimeouts> {
  readonly proxy?: URL | undefined;
}

const socketTimeouts: SocketTimeouts = { connectMs: 10_000, silenceMs: 30_000, idleMs: 4_000 };

const mostSockets = 8;

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body: string | undefined;
}

export interface Transport {
  /**
   * Sends a request. The signal aborts it, whether in flight or waiting for a socket. Rejects with a
   * TypeError if the request cannot be sent, an OversizedError if the response is too large, and another error
   * if no response comes.
   */
  readonly exchange: (
    outgoing: Outgoing,
    limits: Pick<ResponseLimits, 'bytes' | 'ms'>,
    signal?: AbortSignal,
  ) => Promise<Received>;
  readonly close: () => void;
}

/**
 * Sends requests to one server over kept sockets. Once `tls` returns another object, requests use new sockets.
 *
 * Guarantees: at most eight requests are in flight, each over a socket of its own. Each request ends, and then
 * occupies no socket, whatever the server does. An error contains nothing that was received. Caveats: a request
 * fails if the server closes its socket at the same time; the caller decides whether to send it again.
 */
export function openTransport(
  server: URL,
  tls: () => TlsOptions,
  { proxy, ...over }: TransportOptions = {},
): Transport {
  const { connectMs, silenceMs, idleMs } = { ...socketTimeouts, ...over };
  const slots = pLimit(mostSockets);
  const { protocol, hostname, port } = server;
  const address = { protocol, host: withoutBrackets(hostname), port, timeout: silenceMs };
  const kept = { keepAlive: true, maxSockets: mostSockets, timeout: idleMs, connectMs };
  let agent = openAgent(protocol, proxy, kept);
  let used = tls();
  let lastUsed = 0;
  let closed: Error | undefined;
  const send = async (
    { body, ...outgoing }: Outgoing,
    limits: Pick<ResponseLimits, 'bytes' | 'ms'>,
    signal?: AbortSignal,
  ): Promise<Received> => {
    signal?.throwIfAborted();
    if (closed !== undefined) throw closed;
    if (used !== tls()) {
      used = tls();
      agent.maxFreeSockets = 0;
      dropIdle(agent);
      agent = openAgent(protocol, proxy, kept);
    }
    // Goes by the clock, because no timer runs while a function is frozen.
    if (Date.now() - lastUsed > idleMs) dropIdle(agent);
    try {
      const sent = { ...address, ...used, ...outgoing, agent };
      return await exchange(sent, body, { ...limits, connectMs, signal });
    } catch (error) {
      throw closed ?? error;
    } finally {
      lastUsed = Date.now();
    }
  };
  return {
    async exchange(outgoing, limits, signal) {
      requireEscaped(outgoing.path);
      return slots(() => send(outgoing, limits, signal));
    },
    close() {
      closed = new Error('the connection was closed');
      agent.destroy();
    },
  };
}

function dropIdle({ freeSockets }: Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}

/** Refuses unescaped characters beyond ASCII, which Node would send unchanged. */
function requireEscaped(path: string): void {
  if (!/^[\x21-\x7e]+$/.test(path))
    throw new TypeError('its path has a character that is not escaped');
}

/** Reports whether all servers read a header value alike: ASCII without control characters (RFC 9110, 5.5). */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text);

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Reports whether requests to this address leave the machine unencrypted. */
export function isUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !loopback.test(hostname);
}
