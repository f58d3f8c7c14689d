import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface FakeBucket {
  /** The value for STORAGE_EMULATOR_HOST. */
  readonly host: string;
  readonly requests: () => number;
  /** Created objects, by name. */
  readonly objects: ReadonlyMap<string, Buffer>;
}

/** Answers a request instead of the bucket, or leaves it open. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server on loopback that creates objects in the bucket `records` like Cloud Storage's JSON API. */
export async function startBucket(fault?: Fault): Promise<FakeBucket> {
  const objects = new Map<string, Buffer>();
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    if (fault !== undefined) return fault(request, response);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage');
    const name = searchParams.get('name') ?? '';
    const isUpload = request.method === 'POST' && searchParams.get('uploadType') === 'media';
    const content = await buffer(request);
    if (!isUpload || name === '') return response.writeHead(400).end('not an upload');
    if (pathname !== '/upload/storage/v1/b/records/o') return response.writeHead(404).end();
    if (objects.has(name)) return response.writeHead(412).end();
    objects.set(name, content);
    return response.writeHead(200).end(JSON.stringify({ kind: 'storage#object', name }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, requests: () => requests, objects };
}
