import {
  CredentialsError,
  KubeError,
  messageOf,
  OversizedError,
  UnreachableError,
} from '../cluster-errors.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { type Received, type ResponseLimits, responseLimits } from './exchange.ts';
import { proxyFor } from './proxy.ts';
import { refusal } from './refusal.ts';
import {
  isHeaderValue,
  isUnencrypted,
  openTransport,
  type SocketTimeouts,
  type Transport,
} from './transport.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** True for a page of a list. Its size limit is lower, because a smaller page can be requested. */
  readonly isPage?: boolean;
  /** Parses the response; default: JSON. Throws if it is malformed. */
  readonly parse?: (body: Buffer) => unknown;
  /** Names the request in errors, such as `update Deployment default/shop`. */
  readonly what: string;
}

export interface ApiResponse {
  readonly value: unknown;
  readonly bytes: number;
}

/** A connection to one API server, kept for the life of the process. */
export interface Connection {
  /** Sends a request. The signal aborts it, whether in flight or waiting for a socket. */
  readonly send: (call: Call, signal?: AbortSignal) => Promise<ApiResponse>;
  /** Aborts the requests in flight and refuses further ones. */
  readonly close: () => void;
}

export const userAgent = 'serverless-reconciler';

/**
 * Connects to an API server.
 *
 * Guarantees:
 * - After a 401, the credentials are renewed and the request is sent once more.
 * - After a change of certificates, requests use new sockets.
 * - Credentials are sent over plain HTTP only to this machine, and appear in no error, even if a response repeats
 *   them.
 * - A response that is too large is an OversizedError, one that is too slow an UnreachableError.
 */
export function connect(
  credentials: Credentials,
  over: Partial<ResponseLimits & SocketTimeouts> = {},
): Connection {
  const limits = { ...responseLimits, ...over };
  const url = new URL(credentials.server);
  const proxy = credentials.proxy ?? proxyFor(url);
  const { origin } = url;
  const path = url.pathname.replace(/\/$/, '');
  const via = proxy === undefined ? '' : ` through the proxy ${proxy.host}`;
  const server = { origin, path, via, isUnencrypted: isUnencrypted(origin) };
  const transport = openTransport(url, () => credentials.tls, { ...over, proxy });
  const sendAs = (authorization: string | undefined, call: Call, signal?: AbortSignal) => {
    const { impersonation } = credentials;
    return exchange(transport, server, { ...call, authorization, impersonation, signal, limits });
  };
  const send = async (call: Call, signal?: AbortSignal): Promise<ApiResponse> => {
    const authorization = await credentials.authorization(false);
    const used = credentials.tls;
    try {
      return await sendAs(authorization, call, signal);
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 401)) throw error;
      const fresh = await credentials.authorization(true);
      if (fresh === authorization && credentials.tls === used) throw error;
      return sendAs(fresh, call, signal);
    }
  };
  return { send, close: transport.close };
}

interface Server {
  readonly origin: string;
  readonly path: string;
  /** Text for errors, such as ` through the proxy 10.0.0.1:3128`; empty without a proxy. */
  readonly via: string;
  readonly isUnencrypted: boolean;
}

interface SentCall extends Call {
  readonly authorization: string | undefined;
  readonly impersonation: Credentials['impersonation'];
  readonly signal: AbortSignal | undefined;
  readonly limits: ResponseLimits;
}

async function exchange(
  transport: Transport,
  server: Server,
  call: SentCall,
): Promise<ApiResponse> {
  requireSafe(server, call);
  const { isPage, limits } = call;
  const limit = { ms: limits.ms, bytes: isPage === true ? limits.pageBytes : limits.bytes };
  let received: Received;
  try {
    received = await transport.exchange(outgoing(server, call), limit, call.signal);
  } catch (cause) {
    throw noResponse(server, call, cause);
  }
  if (received.code >= 400) throw refusal(call, received);
  try {
    return { value: parsed(call, received), bytes: received.bytes };
  } catch (cause) {
    throw noResponse(server, call, cause);
  }
}

function outgoing(server: Server, call: SentCall) {
  const { method, contentType, authorization, impersonation } = call;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers: Record<string, string | string[]> = {
    ...impersonation,
    accept: call.accept ?? 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': userAgent,
  };
  if (contentType !== undefined) headers['content-type'] = contentType;
  if (authorization !== undefined) headers.authorization = authorization;
  return { method, path: server.path + call.path, headers, body };
}

function requireSafe(server: Server, { what, authorization }: SentCall): void {
  if (authorization === undefined) return;
  if (!isHeaderValue(authorization))
    throw new CredentialsError(`cannot ${what}: the token is not a valid header value`);
  if (server.isUnencrypted)
    throw new CredentialsError(
      `cannot ${what}: credentials are not sent to ${server.origin}, because they would travel unencrypted; use https`,
    );
}

/** Parses a response. Refuses redirects. Drops the JSON parser's own message, which may quote a Secret. */
function parsed({ parse = asJson }: Call, { code, body }: Received): unknown {
  if (code >= 300) throw new Error(`it redirects with ${code}, which is not followed`);
  try {
    return parse(body);
  } catch {
    throw new Error('its response is not valid JSON');
  }
}

const asJson = (body: Buffer): unknown => JSON.parse(body.toString());

function noResponse(server: Server, { what }: Call, cause: unknown): Error {
  const why = messageOf(cause);
  if (cause instanceof OversizedError) return new OversizedError(`cannot ${what}: ${why}`);
  if (cause instanceof TypeError)
    return new Error(`cannot ${what}: this request cannot be sent (${why})`, { cause });
  const message = `cannot ${what}: no response from the API server ${server.origin}${server.via} (${why}); is it running and reachable from here?`;
  return new UnreachableError(message, { cause });
}
