import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body, if there is one. */
  readonly body: unknown;
}

/** A reply: values are sent as JSON, strings and buffers unchanged; `drop` closes the connection. */
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
  /** Returns the number of sockets that were open at the same time, at most. */
  readonly sockets: () => number;
}

/** Starts a server on a free port with the given replies; it is stopped at the end of the test. */
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
    const replied = await reply(request, requests.length);
    if (replied === 'drop') {
      message.socket.destroy();
      return;
    }
    const { code = 200, body, headers = {} } = replied;
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

/** Builds the metadata that every object has, with overrides. */
export const metadata = (name: string, over: object = {}) => ({
  name,
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  ...over,
});

/** Builds an error response with a Status. */
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
