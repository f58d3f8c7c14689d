import { Agent, errors } from 'undici';
import { type AnswerLimits, answerLimits, receive } from './answer.ts';
import { type Credentials, CredentialsError } from './credentials.ts';
import { KubeError, messageOf, OversizedError, UnreachableError } from './errors.ts';
import { isHeaderValue } from './header.ts';
import { isUnencrypted } from './plain-http.ts';
import { refusal } from './refusal.ts';

/** One request to the API server. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** A page of a list. It has a lower size limit, as it can be requested again in smaller pages. */
  readonly isPage?: boolean;
  /** Names the request in errors: `update Deployment default/shop`. */
  readonly what: string;
}

export interface Answer {
  readonly value: unknown;
  readonly bytes: number;
}

/** A connection to one API server, kept for the life of the process, with at most `connections` sockets. */
export interface Connection {
  /** The signal aborts a request in flight, and one that is still waiting for a socket. */
  readonly send: (call: Call, signal?: AbortSignal) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** What requests to the API server name as their client. */
export const userAgent = 'serverless-reconciler';

const connections = 8;
/** How long a server may be silent before the connection counts as lost. */
const silenceMs = 30_000;
const connectMs = 10_000;

/**
 * Guarantees: if credentials are refused (401) they are renewed once and the request is sent again. Once
 * certificates have changed, requests are sent over new sockets. Credentials are sent over plain HTTP only to this
 * machine, and appear in no error, whatever the server answers. An answer that is too large is an
 * OversizedError, one that is too slow an UnreachableError.
 */
export function connect(credentials: Credentials, over: Partial<AnswerLimits> = {}): Connection {
  const limits = { ...answerLimits, ...over };
  const url = new URL(credentials.server);
  const server = { origin: url.origin, path: url.pathname.replace(/\/$/, '') };
  let { tls } = credentials;
  let agent = agentWith(tls);
  const renewAgent = (): void => {
    if (credentials.tls === tls) return;
    void agent.close();
    tls = credentials.tls;
    agent = agentWith(tls);
  };
  const send = async (call: Call, signal?: AbortSignal): Promise<Answer> => {
    const authorization = await credentials.authorization(false);
    renewAgent();
    const used = agent;
    try {
      return await exchange(used, server, { ...call, authorization, signal, limits });
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 401)) throw error;
      const fresh = await credentials.authorization(true);
      renewAgent();
      if (fresh === authorization && agent === used) throw error;
      return exchange(agent, server, { ...call, authorization: fresh, signal, limits });
    }
  };
  return { send, close: () => agent.close() };
}

const agentWith = (tls: Credentials['tls']): Agent =>
  new Agent({
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    connect: { timeout: connectMs, ...tls },
  });

interface Server {
  readonly origin: string;
  readonly path: string;
}

interface SentCall extends Call {
  readonly authorization: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly limits: AnswerLimits;
}

async function exchange(agent: Agent, server: Server, call: SentCall): Promise<Answer> {
  requireSendable(server, call);
  const response = await reach(server, call, () =>
    agent.request({
      origin: server.origin,
      path: server.path + call.path,
      method: call.method,
      headers: {
        accept: call.accept ?? 'application/json',
        'accept-encoding': 'gzip',
        'user-agent': userAgent,
        ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
        ...(call.authorization === undefined ? {} : { authorization: call.authorization }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: call.signal ?? null,
    }),
  );
  const { isPage, limits } = call;
  const limit = { ms: limits.ms, bytes: isPage === true ? limits.pageBytes : limits.bytes };
  const received = reach(server, call, () => receive(response, limit));
  if (response.statusCode >= 400) {
    const { text } = await received.catch(unlessOversized);
    throw refusal(call, response, text);
  }
  const { text, bytes } = await received;
  const value = await reach(server, call, async () => parsed(response.statusCode, text));
  return { value, bytes };
}

/** An error answer counts by its status code, even if its body is too large. */
function unlessOversized(error: unknown): { readonly text: string } {
  if (error instanceof OversizedError) return { text: '' };
  throw error;
}

/**
 * A trap: a request that undici refuses to send blocks one of the pool's sockets for good, and once all
 * are blocked every request hangs.
 */
function requireSendable({ origin }: Server, { what, authorization }: SentCall): void {
  if (authorization === undefined) return;
  if (!isHeaderValue(authorization))
    throw new CredentialsError(`cannot ${what}: the token is not a valid header value`);
  if (isUnencrypted(origin))
    throw new CredentialsError(
      `cannot ${what}: credentials are not sent to ${origin}, as they would travel unencrypted; use https`,
    );
}

/** Redirects are not followed: an API server sends none. The JSON parser's own message is dropped: it may quote a Secret. */
function parsed(code: number, text: string): unknown {
  if (code >= 300) throw new Error(`it redirects with ${code}, which is not followed`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is not valid JSON');
  }
}

/** Makes a transport error name the address and what to check. */
async function reach<T>(server: Server, { what }: Call, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const why = messageOf(cause);
    if (cause instanceof OversizedError) throw new OversizedError(`cannot ${what}: ${why}`);
    if (cause instanceof errors.InvalidArgumentError)
      throw new Error(`cannot ${what}: this request cannot be sent (${why})`, { cause });
    const message = `cannot ${what}: no answer from the API server ${server.origin} (${why}); is it running and reachable from here?`;
    throw new UnreachableError(message, { cause });
  }
}
