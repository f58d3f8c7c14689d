import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type AnswerLimits, lateAnswer, type Received, receive } from './answer.ts';

/** What of TLS a cluster's credentials decide. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'rejectUnauthorized' | 'servername'
>;

export interface SocketTimeouts {
  /** For a connection, including the TLS handshake. */
  readonly connectMs: number;
  /** How long a server may be silent before the connection counts as lost. */
  readonly silenceMs: number;
  /** How long a socket is kept without a request, or for less if the server says so. */
  readonly idleMs: number;
}

const socketTimeouts: SocketTimeouts = { connectMs: 10_000, silenceMs: 30_000, idleMs: 4_000 };

/** A request as it is sent. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Requests to one server. */
export interface Transport {
  /** The signal aborts a request in flight, and one that is still waiting for a socket. */
  readonly exchange: (
    outgoing: Outgoing,
    limits: Pick<AnswerLimits, 'bytes' | 'ms'>,
    signal?: AbortSignal,
  ) => Promise<Received>;
  /** Breaks off what is under way. */
  readonly close: () => void;
}

const connections = 8;

/**
 * Guarantees: there are at most eight sockets. Each request ends, and then occupies none of them, whatever the
 * server does. A socket that was idle for longer than `idleMs` is not used again, by the clock, as timers stand
 * still while a function is frozen. An error holds nothing that was received.
 * Caveats: redirects are not followed; the proxy variables of the environment are ignored. A request fails if
 * the server closes its socket just as it is sent: whether it may be sent again is the sender's decision.
 */
export function openTransport(
  server: URL,
  tls: TlsOptions,
  over: Partial<SocketTimeouts> = {},
): Transport {
  const { connectMs, silenceMs, idleMs } = { ...socketTimeouts, ...over };
  const isTls = server.protocol === 'https:';
  const kept = { keepAlive: true, maxSockets: connections, timeout: idleMs };
  const hostname = server.hostname.replace(/^\[|\]$/g, '');
  // As Node would find out for each request.
  const servername = isIP(hostname) > 0 ? '' : hostname;
  const agent = isTls ? new HttpsAgent({ ...kept, servername, ...tls }) : new HttpAgent(kept);
  // All sockets lead to one server; by default their name holds the whole TLS options.
  agent.getName = () => server.host;
  limitConnecting(agent, { connected: isTls ? 'secureConnect' : 'connect', ms: connectMs });
  const closeStale = staleSockets(agent);
  const start = isTls ? httpsRequest : httpRequest;
  const fixed = { hostname, port: server.port, agent, timeout: silenceMs };
  const underWay = new Set<ClientRequest>();
  return {
    close() {
      // Without this, the requests that wait would be sent over new sockets.
      for (const request of underWay) request.emit('error', new Error('the connection was closed'));
      agent.destroy();
    },
    async exchange({ method, path, headers, body }, limits, signal) {
      signal?.throwIfAborted();
      closeStale();
      // As a list they are written as they are; as an object Node keeps, and looks up, each of them.
      const sent = ['Host', server.host, ...Object.entries(headers).flat()];
      const request = start({ ...fixed, method, path, headers: sent });
      underWay.add(request);
      request.on('close', () => underWay.delete(request));
      request.on('timeout', () =>
        request.destroy(new Error(`it was silent for ${silenceMs / 1000} s`)),
      );
      request.end(body);
      return answerTo(request, limits, signal);
    },
  };
}

/** The answer to a request that has been sent. Destroys the request if it fails or is aborted. */
export function answerTo(
  request: ClientRequest,
  limits: Pick<AnswerLimits, 'bytes' | 'ms'>,
  signal: AbortSignal | undefined,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(withoutReceived(error));
      request.destroy();
    };
    // A request that waits for a socket emits nothing when it is destroyed.
    const abort = (): void => fail(signal?.reason);
    signal?.addEventListener('abort', abort);
    request.on('error', fail);
    let isAnswered = false;
    // A server that sends informational answers or headers without end is never silent.
    let timer: NodeJS.Timeout | undefined;
    request.on('socket', () => {
      timer = setTimeout(() => fail(lateAnswer(limits)), limits.ms);
    });
    request.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      // Node reports no error when a server switches to another protocol.
      if (!isAnswered) reject(new Error('it closed the connection without an answer'));
    });
    request.on('response', (response) => {
      isAnswered = true;
      // The body has as long again.
      timer?.refresh();
      receive(response, limits.bytes).then(resolve, fail);
      // A server may answer without reading the body; Node would wait for that without a limit.
      response.on('end', () => request.writableFinished || request.destroy());
    });
  });
}

/** Node attaches what it could not parse, which may repeat the credentials that were sent. */
function withoutReceived(error: unknown): unknown {
  if (error instanceof Error && 'rawPacket' in error) delete error.rawPacket;
  return error;
}

function limitConnecting(
  agent: HttpAgent,
  { connected, ms }: { readonly connected: string; readonly ms: number },
): void {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = create(options, callback);
    const late = new Error(`there was no connection within ${ms / 1000} s`);
    const timer = setTimeout(() => socket?.destroy(late), ms);
    const stop = (): void => clearTimeout(timer);
    socket?.once(connected, stop).once('close', stop);
    // Between two requests a socket has no other listener, and its error would end the process.
    socket?.on('error', () => undefined);
    return socket;
  };
}

/** Returns a function that closes the sockets that have been idle for too long. */
function staleSockets(agent: HttpAgent): () => void {
  const freedAt = new WeakMap<Socket, number>();
  agent.on('free', (socket: Socket) => freedAt.set(socket, Date.now()));
  return () => {
    const now = Date.now();
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? [])
        if (now - (freedAt.get(socket) ?? 0) >= (socket.timeout ?? 0)) socket.destroy();
  };
}
