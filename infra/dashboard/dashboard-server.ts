import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { foreignOrNotJson, guarded } from '@serverless-reconciler/local-cluster/foreign-request';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { printable } from '../../shared/printable.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { readAssets, readIndex } from './assets.ts';
import { type Board, createBoard } from './board.ts';
import type { Operations } from './operations.ts';
import { handlePost, readBody } from './posts.ts';

export interface DashboardOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly operations: Operations;
}

export interface Dashboard {
  readonly url: string;
  /** Call this after a run, to send the timeline. */
  readonly runsChanged: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Serves the page on loopback.
 *
 * Guarantees: only programs on this machine and the page itself are served. A POST must carry the
 * page's token; with `readOnly`, changes are refused.
 * Caveats: every program on this machine can read the page with its token, and then act with the permissions of
 * the user who started the dashboard, as with `kubectl proxy`.
 */
export async function startDashboard({ port, operations }: DashboardOptions): Promise<Dashboard> {
  const token = randomBytes(24).toString('base64url');
  const [assets, index] = await Promise.all([readAssets(), readIndex(token)]);
  const board = createBoard(operations);
  const context: Context = { operations, board, token, streams: new Set() };
  const serve: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const [pathname = '/'] = (request.url ?? '/').split('?');
    const asset = assets[pathname];
    if (request.method === 'POST') void handle(request, response, { ...context, pathname });
    else if (pathname === '/') send(response, 200, index, 'text/html; charset=utf-8');
    else if (asset !== undefined) send(response, 200, asset.body, asset.type);
    else if (pathname === '/stream') stream(response, context);
    else send(response, 404, 'not found', 'text/plain');
  };
  const server = createServer(guarded(foreignOrNotJson, serve));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async runsChanged() {
      const timeline = await operations.timeline();
      for (const one of context.streams) sendEvent(one, 'timeline', timeline);
    },
    async stop() {
      board.stop();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Context {
  readonly operations: Operations;
  readonly board: Board;
  readonly token: string;
  readonly streams: Set<ServerResponse>;
}

/** Allows only the page's own files, and forbids other pages to show the page in a frame. */
const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

function send(response: ServerResponse, code: number, body: string, type: string): void {
  response.writeHead(code, { 'content-type': type }).end(body);
}

const sendJson = (response: ServerResponse, code: number, value: unknown): void =>
  send(response, code, jsonOf(value), 'application/json');

/** Escapes control characters in text from the cluster, because they could change how other text is shown. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? printable(one) : one));

/** Maximum number of bytes that wait for a slow client. */
const maxBacklog = 64 * 1024 * 1024;
const heartbeatMs = 10_000;

function stream(response: ServerResponse, { operations, board, streams }: Context): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  sendEvent(response, 'about', operations.about);
  streams.add(response);
  const unsubscribe = board.subscribe((name, message) => sendEvent(response, name, message));
  void Promise.resolve(operations.timeline()).then(
    (timeline) => sendEvent(response, 'timeline', timeline),
    () => undefined,
  );
  // A missing heartbeat tells the page that the connection is dead.
  const heartbeat = setInterval(() => sendEvent(response, 'alive', {}), heartbeatMs);
  response.on('close', () => {
    clearInterval(heartbeat);
    unsubscribe();
    streams.delete(response);
  });
}

function sendEvent(response: ServerResponse, name: string, message: unknown): void {
  if (response.destroyed) return;
  response.write(`event: ${name}\ndata: ${jsonOf(message)}\n\n`);
  if (response.writableLength > maxBacklog) response.destroy();
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context & { readonly pathname: string },
): Promise<void> {
  try {
    const given = Buffer.from(String(request.headers['x-reconciler-token']));
    const expected = Buffer.from(context.token);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return sendJson(response, 403, {
        error: 'the page was served by an earlier process: reload it',
      });
    const body = await readBody(request);
    const result = await handlePost(context, body);
    if (result === undefined) sendJson(response, 404, { error: 'not found' });
    else sendJson(response, 200, result);
  } catch (error) {
    if (!response.headersSent)
      sendJson(response, error instanceof RefusedActionError ? 409 : 502, {
        error: messageOf(error),
      });
  }
}
