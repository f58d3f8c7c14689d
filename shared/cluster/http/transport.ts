import type { Agent } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import pLimit from 'p-limit';
import type { AnswerLimits, Received } from './answer.ts';
import { exchange } from './exchange.ts';
import { openAgent, withoutBrackets } from './proxy.ts';

/** The part of TLS that a cluster's credentials decide. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'
>;

/** An array is one header for each of its values. They are ASCII: Node sends others as Latin-1, or as UTF-8 beside a body. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

export interface SocketTimeouts {
  /** For a connection, including the TLS handshake. */
  readonly connectMs: number;
  /** How long a server may be silent before the connection counts as lost. */
  readonly silenceMs: number;
  /** How long a socket is kept without a request, or for less if the server says so. */
  readonly idleMs: number;
}

interface TransportOptions extends Partial<SocketTimeouts> {
  readonly proxy?: URL | undefined;
}

const socketTimeouts: SocketTimeouts = { connectMs: 10_000, silenceMs: 30_000, idleMs: 4_000 };

const mostSockets = 8;

/** A request as it is sent. */
export interface Outgoing {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body: string | undefined;
}

/** Requests to one server. */
export interface Transport {
  /**
   * The signal aborts a request in flight; one that is still waiting for a socket is not sent.
   * Errors: a TypeError if it cannot be sent, an OversizedError if the answer is too large, any other if there is none.
   */
  readonly exchange: (
    outgoing: Outgoing,
    limits: Pick<AnswerLimits, 'bytes' | 'ms'>,
    signal?: AbortSignal,
  ) => Promise<Received>;
  /** Sends later requests over new sockets. */
  readonly renew: (tls: TlsOptions) => void;
  /** Breaks off all exchanges, and refuses further requests. */
  readonly close: () => void;
}

/**
 * Sends requests to one server over kept sockets.
 *
 * Guarantees: at most eight requests are in flight, each over a socket of its own. Idle sockets are closed when
 * certificates change. Each request ends, and then occupies
 * no socket, whatever the server does. An error holds nothing that was received.
 * Caveats: a request fails if the server closes its socket just as it is sent: whether it may be sent again is the
 * sender's decision.
 */
export function openTransport(
  server: URL,
  tls: TlsOptions,
  { proxy, ...over }: TransportOptions = {},
): Transport {
  const { connectMs, silenceMs, idleMs } = { ...socketTimeouts, ...over };
  const slots = pLimit(mostSockets);
  const { protocol, hostname, port } = server;
  const address = { protocol, host: withoutBrackets(hostname), port, timeout: silenceMs };
  const kept = { keepAlive: true, maxSockets: mostSockets, timeout: idleMs, connectMs };
  let agent = openAgent(protocol, proxy, kept);
  let options = { ...address, ...tls };
  let lastUsed = 0;
  let closed: Error | undefined;
  const send = async (
    { body, ...outgoing }: Outgoing,
    limits: Pick<AnswerLimits, 'bytes' | 'ms'>,
    signal?: AbortSignal,
  ): Promise<Received> => {
    signal?.throwIfAborted();
    if (closed !== undefined) throw closed;
    // By the clock, as timers stand still while a function is frozen.
    if (Date.now() - lastUsed > idleMs) dropIdle(agent);
    try {
      const sent = { ...options, ...outgoing, agent };
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
    renew(renewed) {
      agent.maxFreeSockets = 0;
      dropIdle(agent);
      agent = openAgent(protocol, proxy, kept);
      options = { ...address, ...renewed };
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

/** Node sends a character beyond ASCII as it is. */
function requireEscaped(path: string): void {
  if (!/^[\x21-\x7e]+$/.test(path))
    throw new TypeError('its path has a character that is not escaped');
}

/** Whether this is a header value that every server reads in the same way (RFC 9110, 5.5): ASCII without controls. */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text);

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether requests to this address leave the machine without TLS. */
export function isUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !loopback.test(hostname);
}
