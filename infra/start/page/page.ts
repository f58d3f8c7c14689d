import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { foreignRefusal, guarded } from '@serverless-reconciler/local-cluster/foreign-request';
import {
  apiVersionOf,
  type KubeObject,
  type ResourceType,
  titleOf,
} from '../../../shared/kubernetes.ts';
import { type RecordingKind, readStatus } from '../../../shared/plan/recorded-status.ts';

/** What the page needs of a kind. */
type ShownKind = ResourceType & RecordingKind;

export interface PageOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** The API server whose resources are shown. */
  readonly api: string;
  readonly kinds: () => readonly ShownKind[];
  /** The last lines, newest last. */
  readonly lines: () => readonly string[];
}

export interface StatusPage {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A page for a browser: the resources, whether they are ready or why not, and recent events. */
export async function startPage({ port, api, kinds, lines }: PageOptions): Promise<StatusPage> {
  const html = await readFile(join(import.meta.dirname, 'index.html'), 'utf8');
  const headers = { ...securityHeaders, 'content-security-policy': contentSecurityPolicy(html) };
  const serve: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (request.url === '/') send(response, 200, 'text/html; charset=utf-8', html);
    else if (request.url === '/state') void sendState(response, { api, kinds, lines });
    else send(response, 404, 'text/plain', 'not found');
  };
  const server = createServer(guarded(foreignRefusal, serve));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The policy of a page whose only scripts and styles are its own inline ones, each named by its hash,
 * and which connects only to its own server and cannot be framed.
 */
function contentSecurityPolicy(html: string): string {
  const inline = (element: string): string => {
    const found = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'));
    const hashes = [...found].map(([, text = '']) => `'sha256-${sha256(text)}'`);
    return hashes.length === 0 ? "'none'" : hashes.join(' ');
  };
  return [
    "default-src 'none'",
    `script-src ${inline('script')}`,
    `style-src ${inline('style')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function send(response: ServerResponse, code: number, type: string, body: string): void {
  response.writeHead(code, { 'content-type': type }).end(body);
}

async function sendState(
  response: ServerResponse,
  { api, kinds, lines }: Omit<PageOptions, 'port'>,
): Promise<void> {
  try {
    const found = await Promise.all(
      kinds().map(async (kind) => {
        const live = await list(`${api}/apis/${apiVersionOf(kind)}/${kind.plural}`);
        return live.map((one) => rowOf(kind, one));
      }),
    );
    const state = { resources: found.flat(), lines: lines() };
    send(response, 200, 'application/json', JSON.stringify(state));
  } catch (error) {
    send(response, 502, 'text/plain', String(error));
  }
}

async function list(url: string): Promise<readonly KubeObject[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return ((await response.json()) as { readonly items: readonly KubeObject[] }).items;
}

function rowOf(kind: ShownKind, live: KubeObject) {
  const { status } = readStatus(live.status, kind);
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const children = (status.children ?? []).map(titleOf);
  return {
    kind: live.kind,
    namespace: live.metadata.namespace,
    name: live.metadata.name,
    ready: ready?.status ?? 'Unknown',
    message: ready?.message ?? '',
    children,
  };
}
