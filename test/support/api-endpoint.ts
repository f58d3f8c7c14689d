import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Parsed, where there is one. */
  readonly body: unknown;
}

/** Values are sent as JSON, texts and buffers as they are; `drop` breaks off without an answer. */
export type ApiReply =
  | 'drop'
  | {
      readonly code?: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface ApiEndpoint {
  readonly url: string;
  readonly requests: readonly ApiRequest[];
  /** The most sockets that were open at once. */
  readonly sockets: () => number;
}

/** A server on a free port that answers as an API server might; it ends with the test. */
export async function startApiEndpoint(
  reply: (request: ApiRequest, number: number) => ApiReply | Promise<ApiReply>,
): Promise<ApiEndpoint> {
  const requests: ApiRequest[] = [];
  let open = 0;
  let most = 0;
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const { pathname, searchParams } = new URL(message.url ?? '/', 'http://api');
    const text = Buffer.concat(chunks).toString();
    const request = {
      method: message.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: message.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    requests.push(request);
    const answer = await reply(request, requests.length);
    if (answer === 'drop') {
      message.socket.destroy();
      return;
    }
    const { code = 200, body, headers = {} } = answer;
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    response.writeHead(code, headers).end(isRaw ? body : JSON.stringify(body));
  });
  server.on('connection', (socket) => {
    open++;
    most = Math.max(most, open);
    socket.on('close', () => {
      open--;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, sockets: () => most };
}

/** The metadata that every object has, and what is said of this one. */
export const metadata = (name: string, over: object = {}) => ({
  name,
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  ...over,
});

/** The body of an error answer. */
export const status = (code: number, reason: string, over: object = {}) => ({
  code,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message: `it is ${reason}`,
    ...over,
  },
});
