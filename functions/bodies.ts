import type { Buffer } from 'node:buffer';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Log } from '../shared/log.ts';
import { quote } from '../shared/printable.ts';
import { Body } from './body.ts';

export interface BodyLimits {
  /** Of one body. */
  readonly bytes: number;
  /** Of all requests that are not answered yet. */
  readonly bytesAtOnce: number;
  readonly requestsAtOnce: number;
  /** How long a request may take to arrive. */
  readonly seconds: number;
}

/**
 * A Pub/Sub push carries one log entry of at most 256 KiB, in base64; an audit webhook's batch of 400
 * events at level Metadata has 400 to 800 kB. The most expensive JSON of 1 MiB takes 80 ms to parse.
 */
const defaults: BodyLimits = {
  bytes: 1024 * 1024,
  bytesAtOnce: 16 * 1024 * 1024,
  requestsAtOnce: 128,
  seconds: 30,
};

/** After a refusal, for the client to stop sending and read the answer. */
const lingerMs = 2000;

/**
 * Guards every HTTP server of this process. The framework's command makes its server after it has
 * loaded the function, and would itself take bodies of 1024 MB, and inflate them.
 *
 * Flow: Node publishes `http.server.request.start` before the server's own listeners are called.
 */
export function guardServers(log: Log): void {
  const guarded = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { server } = message as { readonly server: Server };
    if (guarded.has(server)) return;
    guarded.add(server);
    guard(server, log);
  });
}

/**
 * Receives whole bodies before the server's listeners are called, which find them in `rawBody`.
 *
 * Guarantees: no more than the limits is kept, whatever is sent; a body with a content coding is
 * answered 415, one too large 413, one too many 503. Nothing is parsed.
 * Caveats: a client that goes on sending after a refusal is disconnected after 2 s.
 */
export function guard(server: Server, log: Log, over: Partial<BodyLimits> = {}): void {
  const limits = { ...defaults, ...over };
  const held = { requests: 0, bytes: 0 };
  const inTurn = oneATurn();
  const behind = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.requestTimeout = limits.seconds * 1000;
  server.headersTimeout = limits.seconds * 1000;
  server.on('request', (request: Received, response) => {
    held.requests++;
    response.on('close', () => {
      held.requests--;
    });
    receive(request, response, {
      limits,
      held,
      refuse: (refusal) => {
        log.warning('request refused', { error: refusal.error });
        refuse(request, response, refusal);
      },
      pass: () =>
        inTurn(() => {
          for (const listener of behind) listener.call(server, request, response);
        }),
    });
  });
}

/** Each in a turn of the event loop of its own: what follows parses a body. */
function oneATurn(): (act: () => void) => void {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const next = (): void => {
    const act = waiting.shift();
    isTaken = act !== undefined;
    if (act === undefined) return;
    setImmediate(next);
    act();
  };
  return (act) => {
    waiting.push(act);
    if (!isTaken) next();
  };
}

type Received = IncomingMessage & { rawBody?: Buffer };

interface Gate {
  readonly limits: BodyLimits;
  readonly held: { readonly requests: number; bytes: number };
  readonly refuse: (refusal: Refusal) => void;
  readonly pass: () => void;
}

function receive(request: Received, response: ServerResponse, gate: Gate): void {
  const { limits, held } = gate;
  const body = new Body();
  const release = (): void => {
    held.bytes -= body.bytes;
    body.clear();
  };
  let refused = false;
  const check = (refusal: Refusal | undefined): void => {
    if (refusal === undefined) return;
    refused = true;
    release();
    gate.refuse(refusal);
  };
  response.on('close', release);
  request.on('data', (chunk: Buffer) => {
    if (refused || response.closed) return;
    held.bytes += chunk.length;
    body.add(chunk);
    check(body.bytes > limits.bytes ? tooLarge(limits) : busyWith(gate));
  });
  request.on('end', () => {
    if (refused) return;
    request.rawBody = body.take();
    gate.pass();
  });
  check(refusalOf(request, limits) ?? busyWith(gate));
}

interface Refusal {
  readonly code: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What can be said before the body arrives. */
function refusalOf({ headers }: IncomingMessage, limits: BodyLimits): Refusal | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity')
    return {
      code: 415,
      error: `the body has the content coding ${quote(coding)}: send it without one`,
      headers: { 'accept-encoding': 'identity' },
    };
  return Number(headers['content-length'] ?? 0) > limits.bytes ? tooLarge(limits) : undefined;
}

const tooLarge = ({ bytes }: BodyLimits): Refusal => ({
  code: 413,
  error: `the body has more than ${bytes} bytes: send smaller batches`,
});

const busyWith = ({ limits, held }: Gate): Refusal | undefined =>
  held.requests > limits.requestsAtOnce || held.bytes > limits.bytesAtOnce
    ? {
        code: 503,
        error: 'too many requests are being answered: send it again later',
        headers: { 'retry-after': '5' },
      }
    : undefined;

/** Answers, and discards what still comes. */
function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { code, error, headers } = refusal;
  response.writeHead(code, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify({ error }));
  const patience = setTimeout(() => request.socket.destroy(), lingerMs);
  patience.unref();
  request.once('close', () => clearTimeout(patience));
  request.once('end', () => clearTimeout(patience));
}
