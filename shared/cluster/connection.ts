import { Agent, errors } from 'undici';
import { type AnswerLimits, answerLimits, receive } from './answer.ts';
import { type Credentials, CredentialsError } from './credentials.ts';
import { KubeError, messageOf, OversizedError, UnreachableError } from './errors.ts';
import { isHeaderValue } from './header.ts';
import { isReadableOnTheWay } from './plain-http.ts';
import { refusal } from './refusal.ts';

/** One request, as the API server will see it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** A page of a list, which may be requested again in smaller pages: it has a lower limit. */
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
  /** The signal aborts requests in flight, and keeps those that wait for a socket from being sent. */
  readonly send: (call: Call, signal?: AbortSignal) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** What requests to the API server name as their client. */
export const userAgent = 'serverless-reconciler';

const connections = 8;
/** How long a server may be silent before it counts as lost. */
const silenceMs = 30_000;
const connectMs = 10_000;

/**
 * Guarantees: credentials that are refused (401) are renewed once and the request sent again, over new
 * sockets where the certificates have changed. They are sent over plain HTTP only within this
 * machine, and appear in no error, whatever the server answers. An answer that exceeds the limits is an
 * OversizedError, or an UnreachableError where it takes too long.
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

/** The status code of a refusal counts, however long its body is. */
function unlessOversized(error: unknown): { readonly text: string } {
  if (error instanceof OversizedError) return { text: '' };
  throw error;
}

/**
 * A trap: a request that undici refuses to send takes one of the pool's sockets out of use for ever,
 * and after the last of them every request waits for ever.
 */
function requireSendable({ origin }: Server, { what, authorization }: SentCall): void {
  if (authorization === undefined) return;
  if (!isHeaderValue(authorization))
    throw new CredentialsError(`cannot ${what}: the token holds what no header may hold`);
  if (isReadableOnTheWay(origin))
    throw new CredentialsError(
      `cannot ${what}: credentials are not sent to ${origin}, where anybody on the way can read them; use https`,
    );
}

/** A redirect is not the API server's answer. The parser's own message may quote a Secret. */
function parsed(code: number, text: string): unknown {
  if (code >= 300) throw new Error(`it redirects with ${code}, which is not followed`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is no JSON');
  }
}

/** An error of the transport names the address and what to check. */
async function reach<T>(server: Server, { what }: Call, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const why = messageOf(cause);
    if (cause instanceof OversizedError) throw new OversizedError(`cannot ${what}: ${why}`);
    if (cause instanceof errors.InvalidArgumentError)
      throw new Error(`cannot ${what}: this is no request that can be sent (${why})`, { cause });
    const message = `cannot ${what}: no answer from the API server ${server.origin} (${why}); is it running and reachable from here?`;
    throw new UnreachableError(message, { cause });
  }
}
