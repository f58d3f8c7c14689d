import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent } from 'undici';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { type Effect, isStopped, respond } from './effects.ts';

/** A request of a function to the API server. */
export interface Exchange {
  /** Counted from 1 for each sender. */
  readonly number: number;
  readonly sender: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Time in milliseconds since the epoch. */
  readonly sent: number;
  /** The parsed request body; undefined for reads. */
  readonly body: unknown;
  effect?: Effect;
  /** Status code and time of the response; undefined if the request never reached the API server. */
  code?: number;
  respondedAt?: number;
  /** The parsed response body; undefined for reads. */
  response?: Partial<KubeObject>;
}

export interface ProxyOptions {
  readonly target: { readonly url: string; readonly ca?: string };
  /** Chooses the effect on a request before it is forwarded. */
  readonly before?: (exchange: Exchange) => Effect | undefined | Promise<Effect | undefined>;
  /** Runs after the server has responded and before the sender receives the response. */
  readonly after?: (exchange: Exchange) => void | Promise<void>;
  /** Runs once for each request, even if it failed. */
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface FaultProxy {
  /** Returns the URL of the API server for a sender, whose name is the first segment of each path. */
  address(sender: string): string;
  /** Resolves once no request is in flight to the API server. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a proxy between functions and an API server: plain HTTP on loopback towards the functions, the
 * protocol of the server towards the server. The sender's bearer token passes through.
 *
 * Guarantees: a request whose sender is killed while it is in flight is still carried out and recorded.
 * Caveats: bodies are buffered, so watches do not pass.
 */
export async function startProxy(options: ProxyOptions): Promise<FaultProxy> {
  const { target, onExchange = () => undefined } = options;
  const ca = target.ca === undefined ? {} : { connect: { ca: target.ca } };
  const agent = new Agent({ connections: 64, allowH2: false, ...ca });
  const counts = new Map<string, number>();
  const underWay = new Set<Promise<void>>();

  const server = createServer((message, response) => {
    response.on('error', () => undefined);
    const work = serve(message, response).catch(() => void response.destroy());
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  });

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await buffer(message);
    const exchange = exchangeOf(message, raw, counts);
    const effect = await options.before?.(exchange);
    if (effect !== undefined) exchange.effect = effect;
    try {
      if (await isStopped(response, effect)) return;
      const reply = await forward(exchange, message, raw);
      await options.after?.(exchange);
      respond(response, reply, effect);
    } finally {
      onExchange(exchange);
    }
  }

  async function forward(exchange: Exchange, { headers }: IncomingMessage, raw: Buffer) {
    const { connection: _, host: __, ...passed } = headers;
    // Responses to writes are parsed here, so they must not be compressed.
    const isRead = exchange.method === 'GET';
    const reply = await agent.request({
      origin: target.url,
      path: `${exchange.path}${exchange.query.size === 0 ? '' : `?${exchange.query}`}`,
      method: exchange.method as 'GET',
      headers: { ...passed, ...(isRead ? {} : { 'accept-encoding': 'identity' }) },
      body: raw.length === 0 ? null : raw,
    });
    const body = Buffer.from(await reply.body.arrayBuffer());
    exchange.code = reply.statusCode;
    exchange.respondedAt = Date.now();
    if (!isRead) exchange.response = parse(body) as Partial<KubeObject>;
    return { code: reply.statusCode, headers: reply.headers, body };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: (sender) => `http://127.0.0.1:${port}/${sender}`,
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await agent.destroy();
    },
  };
}

function exchangeOf(
  { method = '', url = '/' }: IncomingMessage,
  raw: Buffer,
  counts: Map<string, number>,
): Exchange {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const [, sender = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  const number = (counts.get(sender) ?? 0) + 1;
  counts.set(sender, number);
  const body = method === 'GET' ? undefined : parse(raw);
  return { number, sender, method, path, query: searchParams, sent: Date.now(), body };
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
