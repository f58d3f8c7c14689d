import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { timestamp } from '../../shared/run/run.ts';
import { createAuthority } from '../support/certificates.ts';
import {
  comparedAt,
  type Handle,
  player,
  type Received,
  type Recording,
  recorder,
  type Sent,
  type Traffic,
  verbOf,
} from './exchange.ts';

/** An API server; without a token, requests are made as its administrator. */
export interface Address {
  readonly url: string;
  readonly ca?: string;
  readonly token?: string;
}

export interface ApiProxy {
  readonly url: string;
  readonly ca: string;
  /** Points a function that is configured for Google Cloud at the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  readonly forwardTo: (server: Address) => void;
  /** Forwards requests to the server and records them from now on. */
  readonly record: (server: Address) => Recording;
  readonly replay: (recording: Recording) => void;
  /** Returns the traffic since the last call. */
  readonly takeTraffic: () => Traffic;
  readonly stop: () => void;
}

/**
 * Starts an HTTPS server between a client and the API server. Every candidate is measured in the same way,
 * pays for TLS, and on replay receives the same bytes.
 */
export async function startProxy(): Promise<ApiProxy> {
  const authority = createAuthority();
  const { certificate, key } = authority.issue('bench');
  let traffic = noTraffic();
  let handle: Handle = () => ({ code: 503, headers: {}, body: Buffer.alloc(0) });
  let watch = (_: http.IncomingMessage, response: http.ServerResponse): unknown => response.end();
  const server = https.createServer({ cert: certificate, key }, async (incoming, response) => {
    const verb = verbOf({ method: incoming.method ?? '', path: incoming.url ?? '' });
    traffic.requests[verb] = (traffic.requests[verb] ?? 0) + 1;
    if (verb === 'watch') {
      watch(incoming, response);
      return;
    }
    const sent = await read(incoming);
    traffic.bytesSent += sent.body.length;
    const { code, headers, body } = await handle(sent);
    traffic.bytesReceived += body.length;
    if (code === 409) traffic.conflicts++;
    response.writeHead(code, headers).end(body);
  });
  server.keepAliveTimeout = 60_000;
  server.on('secureConnection', () => {
    traffic.connections++;
  });
  const metadata = http.createServer((_, response) =>
    response
      .writeHead(200, { 'metadata-flavor': 'Google', 'content-type': 'application/json' })
      .end('{"access_token":"bench","expires_in":3599,"token_type":"Bearer"}'),
  );
  const host = await listen(server);
  const metadataHost = await listen(metadata);
  const forwardTo = (to: Address): void => {
    const upstream = openUpstream(to);
    handle = upstream.handle;
    watch = upstream.watch;
  };
  return {
    url: `https://${host}`,
    ca: authority.certificate,
    environment: {
      CLUSTER_ENDPOINT: host,
      CLUSTER_CA: Buffer.from(authority.certificate).toString('base64'),
      GCE_METADATA_HOST: metadataHost,
      // Older versions reach the proxy only through HTTPS_PROXY.
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: `http://${metadataHost}`,
      NO_PROXY: '127.0.0.1',
    },
    forwardTo,
    record(from) {
      forwardTo(from);
      const recording = recorder(handle);
      handle = recording.handle;
      return recording.recording;
    },
    replay(recording) {
      handle = player(comparedAt(recording, timestamp(new Date())));
    },
    takeTraffic() {
      const taken = traffic;
      traffic = noTraffic();
      return taken;
    },
    stop() {
      for (const one of [server, metadata]) {
        one.close();
        one.closeAllConnections();
      }
    },
  };
}

const noTraffic = () => ({
  requests: {} as Record<string, number>,
  bytesSent: 0,
  bytesReceived: 0,
  conflicts: 0,
  connections: 0,
});

async function listen(server: http.Server | https.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ofTheConnection = new Set(['host', 'connection', 'authorization', 'transfer-encoding']);

const endToEnd = (headers: http.IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && !ofTheConnection.has(entry[0]),
    ),
  );

const read = async (incoming: http.IncomingMessage): Promise<Sent> => ({
  method: incoming.method ?? '',
  path: incoming.url ?? '',
  headers: endToEnd(incoming.headers),
  body: await buffer(incoming),
});

function openUpstream({ url, ca, token }: Address) {
  const client = url.startsWith('https:') ? https : http;
  const agent = new client.Agent({ keepAlive: true, maxSockets: 64, ...(ca && { ca }) });
  const open = (method: string, path: string, headers: Sent['headers']): http.ClientRequest =>
    client.request(new URL(path, url), {
      agent,
      method,
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    });
  return {
    async handle({ method, path, headers, body }: Sent): Promise<Received> {
      const asked = open(method, path, headers);
      asked.end(body);
      const [received] = (await once(asked, 'response')) as [http.IncomingMessage];
      return {
        code: received.statusCode ?? 502,
        headers: endToEnd(received.headers),
        body: await buffer(received),
      };
    },
    watch({ method = '', url: path = '', headers }: http.IncomingMessage, to: http.ServerResponse) {
      const asked = open(method, path, endToEnd(headers));
      asked.on('error', () => to.destroy());
      to.on('close', () => asked.destroy());
      asked.on('response', (received) => {
        to.writeHead(received.statusCode ?? 502, endToEnd(received.headers)).flushHeaders();
        received.pipe(to);
      });
      asked.end();
    },
  };
}
