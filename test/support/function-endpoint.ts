import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { onTestFinished } from 'vitest';
import { leaveBodyUnread } from '../../functions/bodies.ts';

export interface FunctionRequest {
  readonly method?: string;
  readonly path?: string;
  /** A value is sent as JSON, a string unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FunctionResponse {
  readonly code: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Serves a registered function with the real framework on a free port, with unparsed bodies as in production; it is stopped at the end of the test. */
export async function startFunction(name: string) {
  const server = getTestServer(name).listen(0, '127.0.0.1');
  server.prependListener('request', leaveBodyUnread);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const send = async (request: FunctionRequest = {}): Promise<FunctionResponse> => {
    const { method = 'POST', path = '/', body, headers = {} } = request;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    });
    const text = await response.text();
    return { code: response.status, headers: response.headers, body: parsed(text) };
  };
  return Object.assign(send, { port });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
