import { Buffer } from 'node:buffer';
import { connect as connectTcp, isIP } from 'node:net';
import {
  type ConnectionOptions,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
} from 'node:tls';
import type { AnswerLimits, Received } from './answer.ts';
import { isHeaderValue } from './header.ts';
import type { Connect, Exchange, SocketTimeouts } from './kept-socket.ts';
import { SocketPool } from './socket-pool.ts';

/** What of TLS a cluster's credentials decide. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'
>;

const socketTimeouts: SocketTimeouts = { connectMs: 10_000, silenceMs: 30_000, idleMs: 4_000 };

/** A request as it is sent. */
export interface Outgoing {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Requests to one server. */
export interface Transport {
  /**
   * The signal aborts a request in flight, and one that is still waiting for a socket.
   * Errors: a TypeError if it cannot be sent, an OversizedError if the answer is too large, any other if there is none.
   */
  readonly exchange: (
    outgoing: Outgoing,
    limits: Pick<AnswerLimits, 'bytes' | 'ms'>,
    signal?: AbortSignal,
  ) => Promise<Received>;
  /** Sends later requests over new sockets. */
  readonly renew: (tls: TlsOptions) => void;
  /** Breaks off what is under way, and refuses further requests. */
  readonly close: () => void;
}

/**
 * An HTTP/1.1 client of one server. With Node's own a run that writes takes a third more CPU time.
 *
 * Guarantees: there are at most eight sockets. Each request ends, and then occupies none of them, whatever the
 * server does. An error holds nothing that was received.
 * Caveats: redirects are not followed; the proxy variables of the environment are ignored. A request fails if
 * the server closes its socket just as it is sent: whether it may be sent again is the sender's decision.
 */
export function openTransport(
  server: URL,
  tls: TlsOptions,
  over: Partial<SocketTimeouts> = {},
): Transport {
  const connectBy = (options: TlsOptions): Connect =>
    server.protocol === 'https:' ? tlsTo(server, options) : tcpTo(server);
  const pool = new SocketPool(connectBy(tls), { ...socketTimeouts, ...over });
  return {
    renew: (options) => pool.renew(connectBy(options)),
    close: () => pool.close(new Error('the connection was closed')),
    exchange: (outgoing, limits, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = (): void => pool.abort(exchange, signal?.reason);
        const settled = (): void => signal?.removeEventListener('abort', abort);
        const exchange: Exchange = {
          request: encode(server, outgoing),
          limits,
          resolve(answer) {
            settled();
            resolve(answer);
          },
          reject(error) {
            settled();
            reject(error);
          },
        };
        signal?.addEventListener('abort', abort);
        pool.send(exchange);
      }),
  };
}

function tcpTo(server: URL): Connect {
  const address = addressOf(server, 80);
  return () => ({ socket: connectTcp(address), connected: 'connect' });
}

/** Connections share what is made of the certificates, and resume the last session. */
function tlsTo(server: URL, tls: TlsOptions): Connect {
  const address = addressOf(server, 443);
  // A server's certificate may be for an address, but an address is no server name.
  const servername = isIP(address.host) > 0 ? '' : address.host;
  let secureContext: SecureContext | undefined;
  let session: Buffer | undefined;
  return () => {
    secureContext ??= createSecureContext(tls);
    const options = { ...address, servername, ...tls, secureContext, ALPNProtocols: ['http/1.1'] };
    const socket = connectTls(session === undefined ? options : { ...options, session });
    socket.on('session', (latest) => {
      session = latest;
    });
    socket.once('error', () => {
      session = undefined;
    });
    return { socket, connected: 'secureConnect' };
  };
}

const addressOf = ({ hostname, port }: URL, otherwise: number) => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? otherwise : Number(port),
  noDelay: true,
});

/** Errors: a TypeError if the path or a header would be read as something else. */
function encode({ host }: URL, { method, path, headers, body }: Outgoing): Buffer {
  if (!/^[\x21-\x7e]+$/.test(path))
    throw new TypeError('its path has a character that is not escaped');
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: keep-alive'];
  if (body !== undefined) lines.push(`Content-Length: ${body.length}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderValue(value)) throw new TypeError(`its header ${name} has an invalid character`);
    lines.push(`${name}: ${value}`);
  }
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === undefined ? head : Buffer.concat([head, body]);
}
