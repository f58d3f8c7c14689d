import type { Buffer } from 'node:buffer';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Body } from '../shared/body.ts';
import type { Log } from '../shared/log.ts';
import { quote } from '../shared/printable.ts';

export interface BodyLimits {
  /** Of one body. */
  readonly bytes: number;
  /** Of all requests that are arriving or being answered. */
  readonly bytesAtOnce: number;
  /** Requests that have arrived completely, until they are answered and their handlers have settled. */
  readonly requestsAtOnce: number;
  /** Requests that are still arriving; beyond it the oldest is refused. */
  readonly arrivingAtOnce: number;
  /** How long a request may take to arrive, and how long the client may take to read the answer. */
  readonly seconds: number;
}

/**
 * A pushed message contains one log entry of at most 256 KiB, in base64; a batch of 400 events at level
 * Metadata from an audit webhook has 400 to 800 kB. The most expensive JSON of 1 MiB takes 80 ms to parse.
 */
const defaults: BodyLimits = {
  bytes: 1024 * 1024,
  bytesAtOnce: 16 * 1024 * 1024,
  requestsAtOnce: 128,
  arrivingAtOnce: 512,
  seconds: 15,
};

/** How long a client may go on sending after a refusal, while it reads the answer. */
const lingerMs = 2000;

const handlers = new WeakMap<IncomingMessage, Promise<unknown>>();

/** Counts a request as being answered until its handler settles, also if its client disconnects before. */
export function countUntilSettled(request: IncomingMessage, handler: Promise<unknown>): void {
  handlers.set(request, handler);
}

/**
 * Guards every HTTP server of this process. The framework itself accepts bodies of 1024 MB and inflates
 * them, and creates its server only after it has loaded the function.
 *
 * Flow: Node publishes `http.server.request.start` before it calls the server's listeners; at the first
 * request the server is guarded.
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
 * Guarantees: no more than the limits is kept, whatever is sent, and nothing is parsed. A body with a
 * content coding is answered 415, one that is too large 413, one that is too slow 408, a path that
 * cannot be decoded 400, a request beyond the limits 503. If too many requests are arriving, the oldest
 * is refused, so clients that send slowly or do not read their answers block no others. A client that
 * disconnects frees nothing before the handler of its request settles (`countUntilSettled`).
 * Caveats: a client that goes on sending after a refusal is disconnected after 2 s.
 */
export function guard(server: Server, log: Log, over: Partial<BodyLimits> = {}): void {
  const limits = { ...defaults, ...over };
  const held = { answering: 0, bytes: 0 };
  const arriving: Gate['arriving'] = new Set();
  const inTurn = oneATurn();
  const behind = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.requestTimeout = limits.seconds * 1000;
  server.headersTimeout = limits.seconds * 1000;
  server.on('request', (request: Received, response) => {
    limitSending(request, response, limits);
    receive(request, response, {
      ...{ limits, held, arriving },
      refuse: (refusal) => {
        log.warning('request refused', { error: refusal.error });
        refuse(request, response, refusal);
      },
      pass: (passed) =>
        inTurn(() => {
          passed();
          for (const listener of behind) listener.call(server, request, response);
        }),
    });
  });
}

/** Disconnects a client that does not read its answer. */
function limitSending(
  request: IncomingMessage,
  response: ServerResponse,
  { seconds }: BodyLimits,
): void {
  response.once('prefinish', () => {
    const timer = setTimeout(() => request.socket.destroy(), seconds * 1000);
    response.once('close', () => clearTimeout(timer));
  });
}

/**
 * Runs each callback in its own turn of the event loop, since each one parses a body.
 *
 * Caveats: never synchronously, or the next immediate would run in the same turn.
 */
function oneATurn(): (act: () => void) => void {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    const act = waiting.shift();
    if (waiting.length > 0) setImmediate(next);
    act?.();
  };
  return (act) => {
    waiting.push(act);
    if (waiting.length === 1) setImmediate(next);
  };
}

type Received = IncomingMessage & { rawBody?: Buffer };

interface Gate {
  readonly limits: BodyLimits;
  /** The requests being answered, and the bytes of these and of all arriving ones. */
  readonly held: { answering: number; bytes: number };
  /** A function to refuse each arriving request, the oldest first. */
  readonly arriving: Set<(refusal: Refusal) => void>;
  readonly refuse: (refusal: Refusal) => void;
  /** Calls the server's listeners later, and `passed` just before. */
  readonly pass: (passed: () => void) => void;
}

function receive(request: Received, response: ServerResponse, gate: Gate): void {
  const { limits, held, arriving } = gate;
  const body = new Body();
  const release = (): void => {
    held.bytes -= body.bytes;
    body.clear();
  };
  const timer = setTimeout(() => refuseOnce(tooSlow(limits)), limits.seconds * 1000);
  const arrived = (): void => {
    clearTimeout(timer);
    arriving.delete(refuseOnce);
  };
  let refused = false;
  let isAnswering = false;
  const refuseOnce = (refusal: Refusal): void => {
    refused = true;
    arrived();
    release();
    gate.refuse(refusal);
  };
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
  response.on('close', () => {
    arrived();
    if (!isAnswering) release();
  });
  request.on('data', (chunk: Buffer) => {
    if (refused || response.closed) return;
    held.bytes += chunk.length;
    body.add(chunk);
    if (body.bytes > limits.bytes) refuseOnce(tooLarge(limits));
    else makeRoom(gate);
  });
  request.on('end', () => {
    if (refused) return;
    if (held.answering >= limits.requestsAtOnce) {
      refuseOnce(busy);
      return;
    }
    arrived();
    isAnswering = true;
    request.rawBody = body.take();
    void answered(request, gate, closed).then(release);
  });
  const refusal = refusalOf(request, limits);
  if (refusal !== undefined) refuseOnce(refusal);
  else {
    arriving.add(refuseOnce);
    makeRoom(gate);
  }
}

/** Has a whole request answered, and counts it. */
async function answered(request: Received, gate: Gate, closed: Promise<void>): Promise<void> {
  gate.held.answering++;
  await new Promise<void>(gate.pass);
  await closed;
  await Promise.allSettled([handlers.get(request)]);
  gate.held.answering--;
}

/** Refuses the oldest arriving requests until the rest is within the limits. */
function makeRoom({ limits, held, arriving }: Gate): void {
  for (const refuseOldest of arriving) {
    if (arriving.size <= limits.arrivingAtOnce && held.bytes <= limits.bytesAtOnce) return;
    refuseOldest(busy);
  }
}

interface Refusal {
  readonly code: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Refusals that need no body. */
function refusalOf({ headers, url }: IncomingMessage, limits: BodyLimits): Refusal | undefined {
  if (!isPath(url ?? '/'))
    return { code: 400, error: 'the path has a % that does not encode a UTF-8 character' };
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

const tooSlow = ({ seconds }: BodyLimits): Refusal => ({
  code: 408,
  error: `the request did not arrive within ${seconds} s`,
  headers: { connection: 'close' },
});

const busy: Refusal = {
  code: 503,
  error: 'too many requests are being answered: send it again later',
  headers: { 'retry-after': '5' },
};

function isPath(url: string): boolean {
  try {
    decodeURIComponent(url.replace(/\?.*$/s, ''));
    return true;
  } catch {
    return false;
  }
}

/** Answers, and discards the rest of the body. */
function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { code, error, headers } = refusal;
  response.writeHead(code, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify({ error }));
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
}
