import { present } from '../../json.ts';
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
  type RequestHeaders,
  type SocketTimeouts,
} from './transport.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** True for a page of a list. The size limit of a page is lower, because a smaller page can be requested. */
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
  const { ms, bytes, pageBytes } = { ...responseLimits, ...over };
  const url = new URL(credentials.server);
  const proxy = credentials.proxy ?? proxyFor(url);
  const transport = openTransport(url, () => credentials.tls, { ...over, proxy });
  const sendAs = async (
    authorization: string | undefined,
    call: Call,
    signal?: AbortSignal,
  ): Promise<ApiResponse> => {
    requireSafe(authorization, call.what, url);
    const request = requestFor(call, {
      ...credentials.impersonation,
      ...present({ authorization }),
    });
    const path = url.pathname.replace(/\/$/, '') + call.path;
    const limit = { ms, bytes: call.isPage ? pageBytes : bytes };
    try {
      const received = await transport.exchange({ ...request, path }, limit, signal);
      if (received.code >= 400) throw refusal({ what: call.what, authorization }, received);
      return { value: parsed(call, received), bytes: received.bytes };
    } catch (cause) {
      throw cause instanceof KubeError ? cause : noResponse(call, { url, proxy, cause });
    }
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

function requestFor({ method, body, accept, contentType }: Call, identity: RequestHeaders) {
  const headers = {
    ...identity,
    accept: accept ?? 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': userAgent,
    ...present({ 'content-type': contentType }),
  };
  return { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
}

function requireSafe(authorization: string | undefined, what: string, { origin }: URL): void {
  if (authorization === undefined) return;
  if (!isHeaderValue(authorization))
    throw new CredentialsError(`cannot ${what}: the token is not a valid header value`);
  if (isUnencrypted(origin))
    throw new CredentialsError(
      `cannot ${what}: credentials are not sent to ${origin}, because they would travel unencrypted; use https`,
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

interface Failure {
  readonly url: URL;
  readonly proxy: URL | undefined;
  readonly cause: unknown;
}

function noResponse({ what }: Call, { url, proxy, cause }: Failure): Error {
  const why = messageOf(cause);
  if (cause instanceof OversizedError) return new OversizedError(`cannot ${what}: ${why}`);
  if (cause instanceof TypeError)
    return new Error(`cannot ${what}: this request cannot be sent (${why})`, { cause });
  const server = `${url.origin}${proxy === undefined ? '' : ` through the proxy ${proxy.host}`}`;
  const message = `cannot ${what}: no response from the API server ${server} (${why}); is it running and reachable from here?`;
  return new UnreachableError(message, { cause });
}
