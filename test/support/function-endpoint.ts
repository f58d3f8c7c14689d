import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { onTestFinished } from 'vitest';
import { guard } from '../../functions/bodies.ts';
import { createLog } from '../../shared/log.ts';

export interface FunctionRequest {
  readonly method?: string;
  /** Values are sent as JSON, texts as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FunctionAnswer {
  readonly code: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const silent = createLog(() => undefined, 'ERROR');

/** A registered function behind the real framework, guarded as it is deployed, on a free port; it ends with the test. */
export async function startFunction(name: string) {
  const server = getTestServer(name).listen(0, '127.0.0.1');
  guard(server, silent);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const send = async (request: FunctionRequest = {}): Promise<FunctionAnswer> => {
    const { method = 'POST', body, headers = {} } = request;
    const response = await fetch(`http://127.0.0.1:${port}/`, {
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
