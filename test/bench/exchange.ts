import { gunzipSync, gzipSync } from 'node:zlib';

/** A request as a client sent it to the API server. */
export interface Sent {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Received {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type Handle = (sent: Sent) => Promise<Received> | Received;

/** Every request of one run, in order, and the responses to each path. */
export interface Recording {
  readonly sent: readonly Sent[];
  readonly responses: ReadonlyMap<string, readonly Received[]>;
}

/** Passes requests on to `handle` and appends each to the recording. */
export function recorder(handle: Handle): {
  readonly handle: Handle;
  readonly recording: Recording;
} {
  const all: Sent[] = [];
  const responses = new Map<string, Received[]>();
  return {
    recording: { sent: all, responses },
    async handle(sent) {
      all.push(sent);
      const response = await handle(sent);
      const known = responses.get(keyOf(sent));
      if (known === undefined) responses.set(keyOf(sent), [response]);
      else known.push(response);
      return response;
    },
  };
}

/** Responds to the nth request for a path with the nth recorded response, or with the last one after that. */
export function player({ responses }: Recording): Handle {
  const seen = new Map<string, number>();
  return (sent) => {
    const key = keyOf(sent);
    const known = responses.get(key) ?? [];
    const at = seen.get(key) ?? 0;
    seen.set(key, at + 1);
    return known[at] ?? known.at(-1) ?? notRecorded(key);
  };
}

/**
 * Returns a recording in which every resource was compared with dry runs at `time`. Otherwise a replay a minute later
 * finds some of a thousand resources due for that, and sends what was not recorded.
 */
export const comparedAt = ({ sent, responses }: Recording, time: string): Recording => ({
  sent,
  responses: new Map(
    [...responses].map(([key, all]) => [key, all.map((one) => withTime(one, time))]),
  ),
});

function withTime(response: Received, time: string): Received {
  const { headers, body } = response;
  const isPacked = headers['content-encoding'] === 'gzip';
  const text = (isPacked ? gunzipSync(body) : body).toString();
  if (!text.includes('"comparedAt":')) return response;
  const changed = Buffer.from(text.replaceAll(/"comparedAt":"[^"]*"/g, `"comparedAt":"${time}"`));
  const packed = isPacked ? gzipSync(changed) : changed;
  const length = headers['content-length'] && { 'content-length': String(packed.length) };
  return { ...response, headers: { ...headers, ...length }, body: packed };
}

const keyOf = ({ method, path }: Sent): string => `${method} ${path}`;

const notRecorded = (key: string): Received => ({
  code: 404,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      code: 404,
      message: `not recorded: ${key}`,
    }),
  ),
});

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Derives the verb from the method and the path, as the API server does. */
export function verbOf({ method, path }: Pick<Sent, 'method' | 'path'>): string {
  if (method !== 'GET') return verbs[method] ?? method;
  const { pathname, searchParams } = new URL(path, 'http://server');
  if (['1', 'true'].includes(searchParams.get('watch') ?? '')) return 'watch';
  // /api/v1/… or /apis/GROUP/VERSION/…, then [namespaces/NAME/]PLURAL[/NAME[/SUBRESOURCE]]
  const [api, ...parts] = pathname.split('/').slice(1);
  const rest = parts.slice(api === 'api' ? 1 : 2);
  const within = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  return within.length === 1 ? 'list' : 'get';
}

/** Traffic between a client and the API server. */
export interface Traffic {
  readonly requests: Readonly<Record<string, number>>;
  /** Bodies only, without headers. */
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Responses with status 409. */
  readonly conflicts: number;
  /** New TLS connections. */
  readonly connections: number;
}

const writeVerbs: ReadonlySet<string> = new Set(Object.values(verbs));

export const writesOf = ({ requests }: Traffic): number =>
  [...writeVerbs].reduce((sum, verb) => sum + (requests[verb] ?? 0), 0);

export const countWrites = ({ sent }: Recording): number =>
  sent.filter((one) => writeVerbs.has(verbOf(one))).length;

export const requestsOf = ({ requests }: Traffic): number =>
  Object.values(requests).reduce((sum, count) => sum + count, 0);

export function sumOfTraffic(a: Traffic, b: Traffic): Traffic {
  const verbs = new Set([...Object.keys(a.requests), ...Object.keys(b.requests)]);
  const sum = (verb: string): number => (a.requests[verb] ?? 0) + (b.requests[verb] ?? 0);
  return {
    requests: Object.fromEntries([...verbs].map((verb) => [verb, sum(verb)])),
    bytesSent: a.bytesSent + b.bytesSent,
    bytesReceived: a.bytesReceived + b.bytesReceived,
    conflicts: a.conflicts + b.conflicts,
    connections: a.connections + b.connections,
  };
}
