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

/** Handles a request instead of the bucket, or leaves it open. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

/** Number of names in a page of a list. */
const pageSize = 2;

/** Starts a server on loopback that creates, lists and reads objects of the bucket `records` like Cloud Storage's JSON API. */
export async function startBucket(
  fault?: Fault,
  objects = new Map<string, Buffer>(),
): Promise<FakeBucket> {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    if (fault !== undefined) return fault(request, response);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage');
    if (request.method === 'GET') return handleRead({ pathname, searchParams }, objects, response);
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

function handleRead(
  { pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>,
  objects: ReadonlyMap<string, Buffer>,
  response: ServerResponse,
): void {
  const [, name] = /^\/storage\/v1\/b\/records\/o(?:\/(.+))?$/.exec(pathname) ?? [];
  const content = objects.get(decodeURIComponent(name ?? ''));
  if (content !== undefined && searchParams.get('alt') === 'media') response.end(content);
  else if (pathname !== '/storage/v1/b/records/o') response.writeHead(404).end();
  else {
    const prefix = searchParams.get('prefix') ?? '';
    const from = Number(searchParams.get('pageToken') ?? '0');
    const names = [...objects.keys()].filter((one) => one.startsWith(prefix)).toSorted();
    const items = names.slice(from, from + pageSize).map((one) => ({ name: one }));
    const isLast = from + pageSize >= names.length;
    response.end(
      JSON.stringify({ items, ...(isLast ? {} : { nextPageToken: `${from + pageSize}` }) }),
    );
  }
}
