import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface MetadataServer {
  readonly url: string;
  /** Returns the number of tokens issued. */
  readonly given: () => number;
}

export interface MetadataOptions {
  /** Makes the nth token, counted from 1. */
  readonly token: (number: number) => {
    readonly access_token: string;
    readonly expires_in: number;
  };
  /** Number of requests that gets 503 at first, as while an instance starts. */
  readonly busyFor?: number;
}

const path = '/computeMetadata/v1/instance/service-accounts/default/token';

/**
 * Starts a metadata server that behaves as Google Cloud documents: it refuses requests without
 * `Metadata-Flavor: Google` or with `X-Forwarded-For`, and sends the first header itself.
 */
export async function startMetadataServer(options: MetadataOptions): Promise<MetadataServer> {
  const { token, busyFor = 0 } = options;
  let asked = 0;
  let given = 0;
  const responseTo = (request: IncomingMessage): readonly [number, unknown] => {
    const { pathname, searchParams } = new URL(
      request.url ?? '/',
      'http://metadata.google.internal',
    );
    if (request.headers['metadata-flavor'] !== 'Google')
      return [403, 'Missing Metadata-Flavor header'];
    if (request.headers['x-forwarded-for'] !== undefined) return [403, 'forwarded'];
    if (++asked <= busyFor) return [503, 'Service Unavailable'];
    if (request.method !== 'GET' || pathname !== path) return [404, 'Not Found'];
    const scopes = (searchParams.get('scopes') ?? '').split(',');
    const isMappable = scopes.includes('https://www.googleapis.com/auth/userinfo.email');
    if (!isMappable) return [400, 'a cluster cannot tell whose token without this scope is'];
    return [200, { ...token(++given), token_type: 'Bearer' }];
  };
  const server = createServer((request, response) => {
    const [code, body] = responseTo(request);
    response
      .writeHead(code, {
        'metadata-flavor': 'Google',
        server: 'Metadata Server for VM',
        'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, given: () => given };
}
