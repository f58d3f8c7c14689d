import { once } from 'node:events';
import { request as forward, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { onTestFinished } from 'vitest';
import { status } from './api-endpoint.ts';
import { type Authority, createAuthority } from './certificates.ts';

/** The identity in a request and its client certificate. */
export interface Caller {
  readonly token: string | undefined;
  /** Common name of a certificate that the CA of the cluster issued. */
  readonly certificate: string | undefined;
}

export interface GuardedCluster {
  readonly url: string;
  readonly authority: Authority;
  readonly cluster: LocalCluster;
  readonly callers: readonly Caller[];
  /** Returns the number of requests refused with 401. */
  readonly refused: () => number;
  /** Returns the number of sockets ever opened, and the most at a time. */
  readonly sockets: () => { readonly opened: number; readonly most: number };
}

/** Starts a local cluster that accepts only TLS and callers that `admits` accepts; it is stopped at the end of the test. */
export async function startGuardedCluster(
  admits: (caller: Caller) => boolean,
): Promise<GuardedCluster> {
  const cluster = await startLocalCluster({ controllers: 'paused' });
  const authority = createAuthority();
  const { certificate, key } = authority.issue('api server');
  const callers: Caller[] = [];
  const sockets = { opened: 0, open: 0, most: 0 };
  let refused = 0;
  const server = createServer(
    {
      cert: certificate,
      key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const caller = callerOf(request);
      callers.push(caller);
      if (!admits(caller)) {
        refused++;
        const { code, body } = status(401, 'Unauthorized');
        request.resume();
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        return;
      }
      const { authorization: _, ...headers } = request.headers;
      const { method, url } = request;
      const onward = forward(new URL(url ?? '/', cluster.url), { method, headers }, (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    },
  );
  server.on('secureConnection', (socket) => {
    sockets.opened++;
    sockets.most = Math.max(sockets.most, ++sockets.open);
    socket.on('close', () => {
      sockets.open--;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await cluster.stop();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, authority, cluster, callers, refused: () => refused, sockets: () => sockets };
}

function callerOf({ headers, socket }: IncomingMessage): Caller {
  const tls = socket as TLSSocket;
  return {
    token: /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1],
    certificate: tls.authorized ? String(tls.getPeerCertificate().subject.CN) : undefined,
  };
}
