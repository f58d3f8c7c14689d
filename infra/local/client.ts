import { Agent, type Dispatcher } from 'undici';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  /** The caller; the administrator by default. */
  readonly as?: string;
}

/** A server to test. */
export interface Target {
  readonly url: string;
  readonly ca?: string;
  /** The bearer token of the administrator. */
  readonly token?: string;
  /** The bearer tokens of the users in test cases. */
  readonly tokens?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The text parsed as JSON; undefined if it is not JSON. */
  readonly body: unknown;
  readonly events?: readonly ReceivedEvent[];
}

export interface ReceivedEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface Client {
  send(request: ApiRequest): Promise<Answer>;
  /** Reads a watch until it has sent this many events, or for at most some seconds. */
  watch(request: ApiRequest, count: number, bookmarks: boolean): Promise<Answer>;
  close(): Promise<void>;
}

const watchMilliseconds = 5_000;

export function createClient(target: Target): Client {
  const { ca } = target;
  const tls = ca === undefined ? {} : { connect: { ca } };
  const agent = new Agent({ connections: 32, allowH2: false, ...tls });

  async function send(given: ApiRequest): Promise<Answer> {
    const { statusCode, headers, body } = await agent.request(requestTo(target, given));
    const text = await body.text();
    return { status: statusCode, headers: flatten(headers), text, body: parse(text) };
  }

  async function watch(given: ApiRequest, count: number, bookmarks: boolean): Promise<Answer> {
    const signal = AbortSignal.timeout(watchMilliseconds);
    const sent = await agent.request({ ...requestTo(target, given), signal });
    const { statusCode, headers, body } = sent;
    let events: readonly ReceivedEvent[] = [];
    let text = '';
    try {
      for await (const chunk of body.setEncoding('utf8')) {
        text += chunk;
        events = eventsIn(text).filter(({ type }) => bookmarks || type !== 'BOOKMARK');
        if (events.length >= count) break;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    const status = { status: statusCode, headers: flatten(headers) };
    return { ...status, text, body: parse(text), events: events.slice(0, count) };
  }

  return { send, watch, close: () => agent.destroy() };
}

function requestTo(target: Target, given: ApiRequest): Dispatcher.RequestOptions {
  const { method, path, query = {}, body } = given;
  const search = new URLSearchParams(Object.entries(query));
  // `URL` would resolve `..` in the path.
  const whole = search.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${search}`;
  const token = given.as === undefined ? target.token : target.tokens?.[given.as];
  if (given.as !== undefined && token === undefined) throw new Error(`no token of ${given.as}`);
  const headers = {
    accept: 'application/json',
    'user-agent': 'contract/1.0',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...given.headers,
  };
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = body === undefined ? {} : { body: content };
  return { origin: target.url, path: whole, method, headers, ...sent };
}

/** Parses the events in all complete lines. */
const eventsIn = (text: string): readonly ReceivedEvent[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => parse(line) as ReceivedEvent);

function flatten(headers: Dispatcher.ResponseData['headers']): Record<string, string | undefined> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
