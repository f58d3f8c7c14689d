import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, type Dispatcher, errors } from 'undici';
import { type Credentials, CredentialsError } from './credentials.ts';
import { KubeError, messageOf, UnreachableError } from './errors.ts';
import { isHeaderValue } from './header.ts';
import { isReadableOnTheWay } from './plain-http.ts';
import { refusal } from './refusal.ts';

/** One request, as the API server is to see it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Names the request in errors: `update Deployment default/shop`. */
  readonly what: string;
}

export interface Answer {
  readonly value: unknown;
  readonly bytes: number;
}

/** A way to one API server, kept for the life of the process: at most `connections` sockets, kept alive. */
export interface Connection {
  /** The signal ends what is under way, and keeps what waits for a socket from being sent. */
  readonly send: (call: Call, signal?: AbortSignal) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

const connections = 8;
/** How long a server may be silent before it counts as lost. */
const silenceMs = 30_000;
const connectMs = 10_000;

/**
 * Guarantees: credentials that are refused (401) are renewed once and the request sent again, over new
 * sockets where the certificates have changed. They are not sent over plain HTTP but within this
 * machine, and stand in no error, whatever the server answers.
 */
export function connect(credentials: Credentials): Connection {
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
      return await exchange(used, server, { ...call, authorization, signal });
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 401)) throw error;
      const fresh = await credentials.authorization(true);
      renewAgent();
      if (fresh === authorization && agent === used) throw error;
      return exchange(agent, server, { ...call, authorization: fresh, signal });
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
        'user-agent': 'serverless-reconciler',
        ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
        ...(call.authorization === undefined ? {} : { authorization: call.authorization }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: call.signal ?? null,
    }),
  );
  const { text, bytes } = await reach(server, call, () => textOf(response));
  if (response.statusCode >= 400) throw refusal(call, response, text);
  const value = await reach(server, call, async () => parsed(response.statusCode, text));
  return { value, bytes };
}

async function textOf({ headers, body }: Dispatcher.ResponseData) {
  const raw = Buffer.from(await body.arrayBuffer());
  const text = headers['content-encoding'] === 'gzip' ? await unzip(raw) : raw;
  return { text: text.toString(), bytes: raw.length };
}

const unzip = promisify(gunzip);

/**
 * A trap: a request that undici refuses to send takes one of the pool's sockets out of use for ever,
 * and with the last of them every request waits without end.
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

/** A redirect is somebody else's answer, whatever is in it. The parser's own words quote a Secret. */
function parsed(code: number, text: string): unknown {
  if (code >= 300) throw new Error(`it redirects with ${code}, which is not followed`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is no JSON');
  }
}

/** What breaks on the way says where to and, for the reader, what to check. */
async function reach<T>(server: Server, { what }: Call, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const why = messageOf(cause);
    if (cause instanceof errors.InvalidArgumentError)
      throw new Error(`cannot ${what}: this is no request that can be sent (${why})`, { cause });
    const message = `cannot ${what}: no answer from the API server ${server.origin} (${why}); is it running and reachable from here?`;
    throw new UnreachableError(message, { cause });
  }
}
