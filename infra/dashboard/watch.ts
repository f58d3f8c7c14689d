import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Selection } from '../../shared/cluster/cluster.ts';
import type { Credentials } from '../../shared/cluster/credentials/credentials.ts';
import { userAgent } from '../../shared/cluster/http/connection.ts';
import { agentTo } from '../../shared/cluster/http/proxy.ts';
import { isUnencrypted } from '../../shared/cluster/http/transport.ts';
import { collection, metadataOnly, selectorQuery } from '../../shared/cluster/paths.ts';
import { present, textAt } from '../../shared/json.ts';
import type { Json, ResourceType } from '../../shared/kubernetes.ts';

export interface Watched {
  readonly type: ResourceType;
  readonly selection: Pick<Selection, 'namespace' | 'labels'>;
}

interface Watching {
  /** Called after each change, and whenever a change may have been missed. */
  readonly onChange: () => void;
  /** Called when the user may not watch the type, or the server does not serve it. */
  readonly onRefused: (code: number) => void;
  readonly signal: AbortSignal;
  /** The delay after the first watch. It doubles, up to 30 s, with each watch that ends within 30 s. */
  readonly firstDelayMs?: number;
}

/** The time after which the server ends a watch. The next watch continues from the last resource version. */
const seconds = 290;
const silenceMs = (seconds + 30) * 1000;
const maxDelayMs = 30_000;
/** The maximum length of an event. Events hold only metadata, and an API server stores at most 1.5 MB for an object. */
const maxLine = 4 * 1024 * 1024;

/**
 * Reports when objects of a type change, for a view that reads the objects itself.
 *
 * Guarantees: at least one call to `onChange` follows each change, even if the connection is lost in between. Only
 * metadata is received, and only the resource version is kept.
 * Caveats: there may be calls without a change. Runs do not use watches: they read the cluster afresh.
 */
export async function watchChanges(
  credentials: Credentials,
  watched: Watched,
  { onChange, onRefused, signal, firstDelayMs = 1_000 }: Watching,
): Promise<void> {
  let version = '';
  let fresh = false;
  let wait = firstDelayMs;
  while (!signal.aborted) {
    const began = Date.now();
    const ended: number | undefined = await watchOnce(credentials, watched, {
      version,
      fresh,
      signal,
      onEvent(event) {
        const type = textAt(event, 'type');
        version =
          type === 'ERROR'
            ? ''
            : (textAt(event, 'object', 'metadata', 'resourceVersion') ?? version);
        if (type !== 'BOOKMARK') onChange();
      },
    }).catch(() => undefined);
    const isExpired: boolean = ended === 401 && !fresh;
    if (!isExpired && ended !== undefined && refusals.includes(ended)) return onRefused(ended);
    fresh = isExpired;
    if (ended === undefined || ended >= 400) {
      // Nothing reports objects that are deleted before the next watch begins, so the view reads again.
      version = '';
      onChange();
    }
    if (Date.now() - began > maxDelayMs) wait = firstDelayMs;
    await delay(wait, undefined, { signal, ref: false }).catch(() => undefined);
    wait = Math.min(wait * 2, maxDelayMs);
  }
}

/** Status codes after which a retry is useless. */
const refusals: readonly number[] = [401, 403, 404, 405];

interface WatchOptions {
  /** The resource version to continue from. If it is empty, the watch first reports all existing objects. */
  readonly version: string;
  /** True to get new credentials, because the server has refused the current credentials. */
  readonly fresh: boolean;
  readonly signal: AbortSignal;
  readonly onEvent: (event: Json) => void;
}

/** Resolves to the status code at the end of the watch. */
async function watchOnce(
  credentials: Credentials,
  { type, selection }: Watched,
  { version, fresh, signal, onEvent }: WatchOptions,
): Promise<number> {
  const { server, proxy } = credentials;
  const { authorization, tls, impersonation } = await credentials.access(fresh);
  if (authorization !== undefined && isUnencrypted(new URL(server))) return 403;
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(seconds),
    ...(version === '' ? {} : { resourceVersion: version }),
    ...selectorQuery(selection),
  });
  const base = server.replace(/\/$/, '');
  const start = server.startsWith('https:') ? httpsRequest : httpRequest;
  const request = start(`${base}${collection(type, selection.namespace)}?${query}`, {
    ...tls,
    agent: agentTo(server, proxy),
    signal,
    timeout: silenceMs,
    headers: {
      ...impersonation,
      accept: metadataOnly,
      'user-agent': userAgent,
      ...present({ authorization }),
    },
  });
  request.on('timeout', () => request.destroy(new Error('the watch was silent')));
  request.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  const { statusCode = 0 } = response;
  if (statusCode >= 400) request.destroy();
  else for await (const event of linesOf(response)) onEvent(event);
  return statusCode;
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<Json> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const part of response) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLine) throw new Error('the watch sent a line that is too long');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Json;
  }
}
