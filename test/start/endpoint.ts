import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly code: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a stand-in for a function on a free port; the reply undefined leaves a request open. */
export async function startEndpoint(reply: (request: Received) => Reply | undefined) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    const replied = reply({ method, headers, body: Buffer.concat(chunks).toString() });
    if (replied !== undefined) response.writeHead(replied.code, replied.headers).end(replied.text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), close };
}
