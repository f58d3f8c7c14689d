import type { Buffer } from 'node:buffer';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Body } from '../shared/body.ts';
import type { Log } from '../shared/log.ts';
import { quote } from '../shared/printable.ts';

export interface BodyLimits {
  /** Maximum size of one body. */
  readonly bytes: number;
  /** Maximum total size of all bodies that are arriving or being handled. */
  readonly bytesAtOnce: number;
  /** Maximum number of received requests being handled or answered. Beyond it, all requests but probes are refused. */
  readonly requestsAtOnce: number;
  /** Maximum number of arriving requests. If there are more, the oldest is refused. */
  readonly arrivingAtOnce: number;
  /** Time limit for a request to arrive, and for its client to read the response. */
  readonly seconds: number;
}

/**
 * The default limits. The largest pushed message contains a log entry of 256 KiB in base64. A batch of 400 events at
 * level Metadata from an audit webhook is 400 to 800 kB. The most expensive JSON of 1 MiB takes 80 ms to parse.
 */
const defaults: BodyLimits = {
  bytes: 1024 * 1024,
  bytesAtOnce: 16 * 1024 * 1024,
  requestsAtOnce: 128,
  arrivingAtOnce: 512,
  seconds: 15,
};

/** `originalUrl` is the URL that the client sent. */
type Received = IncomingMessage & { rawBody?: Buffer; originalUrl?: string };

/**
 * Stops the framework from reading bodies. Otherwise it would parse bodies of up to 1024 MB, even compressed, before it
 * calls a function. No setting prevents that.
 *
 * Caveats: affects every HTTP server of the process.
 */
export function leaveBodiesUnread(): void {
  subscribe('http.server.request.start', (message) => {
    leaveBodyUnread((message as { readonly request: IncomingMessage }).request);
  });
}

/**
 * Hides the request's body from the framework. Also hides a path that cannot be decoded: the framework would respond to
 * it with an HTML page and log a stack trace.
 */
export function leaveBodyUnread(request: Received): void {
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
  const { url = '/' } = request;
  if (!isPath(url)) Object.assign(request, { url: '/', originalUrl: url });
}

/**
 * Receives the whole body of each request into `rawBody`, then calls `act` to handle the request.
 *
 * Guarantees: keeps at most one chunk beyond the limits. Neither inflates nor parses a body. If too many requests are
 * arriving, refuses the oldest, so that slow senders block no others. Disconnects clients that do not read their
 * responses. After a client has disconnected, its request counts towards the limits until `act` ends. At most one `act`
 * begins in each turn of the event loop.
 *
 * Refusals: 415 for a content coding other than gzip, 413 for a body that is too large, 408 for a body that is too
 * slow, 400 for a path that cannot be decoded, and 503 beyond the limits or once `stopped` is aborted.
 * Caveats: a client that continues to send after a refusal is disconnected after 2 s.
 */
export function boundBodies(log: Log, over: Partial<BodyLimits> = {}, stopped?: AbortSignal) {
  const gate: Gate = {
    isStopping: () => stopped?.aborted === true,
    limits: { ...defaults, ...over },
    held: { handling: 0, bytes: 0 },
    arriving: new Set(),
    log,
  };
  stopped?.addEventListener('abort', () => {
    for (const refuseIt of gate.arriving) refuseIt(stopping);
  });
  let turn: Promise<unknown> = Promise.resolve();
  return async (
    request: Received,
    response: ServerResponse,
    act: () => Promise<void>,
  ): Promise<void> => {
    const closed = new Promise((resolve) => response.once('close', resolve));
    limitSending(response, gate.limits);
    const body = await receive(request, response, gate);
    if (body === undefined) return;
    const bytes = body.length;
    request.rawBody = body;
    turn = turn.then(() => setImmediate());
    try {
      await turn;
      await act();
      await closed;
    } finally {
      gate.held.handling--;
      gate.held.bytes -= bytes;
    }
  };
}

/** Disconnects a client that does not read its response. */
function limitSending(response: ServerResponse, { seconds }: BodyLimits): void {
  response.once('prefinish', () => {
    const timer = setTimeout(() => response.req.socket.destroy(), seconds * 1000);
    response.once('close', () => clearTimeout(timer));
  });
}

export const isProbe = ({ method = '' }: IncomingMessage): boolean => probes.includes(method);
export const probes: readonly string[] = ['GET', 'HEAD'];

interface Gate {
  readonly isStopping: () => boolean;
  readonly limits: BodyLimits;
  /** `handling`: the number of requests being handled. `bytes`: the size of these and of arriving requests. */
  readonly held: { handling: number; bytes: number };
  /** Functions that refuse the arriving requests, oldest first. */
  readonly arriving: Set<(refusal: Refusal) => void>;
  readonly log: Log;
}

/** Returns the body; undefined if the request was refused or the client disconnected. */
function receive(
  request: Received,
  response: ServerResponse,
  gate: Gate,
): Promise<Buffer | undefined> {
  const { limits, held, arriving, log, isStopping } = gate;
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
  const body = new Body();
  let isOver = false;
  const end = (whole?: Buffer): void => {
    isOver = true;
    clearTimeout(timer);
    arriving.delete(refuseIt);
    if (whole === undefined) held.bytes -= body.bytes;
    body.clear();
    resolve(whole);
  };
  const refuseIt = (refusal: Refusal): void => {
    end();
    log.warning('request refused', { error: refusal.error });
    refuse(request, response, refusal);
  };
  const timer = setTimeout(() => refuseIt(tooSlow(limits)), limits.seconds * 1000);
  response.once('close', () => {
    if (!isOver) end();
  });
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    held.bytes += chunk.length;
    body.add(chunk);
    if (body.bytes > limits.bytes) refuseIt(tooLarge(limits));
    else makeRoom(gate);
  });
  request.on('end', () => {
    if (isOver) return;
    if (held.handling >= limits.requestsAtOnce && !isProbe(request)) return refuseIt(busy);
    held.handling++;
    end(body.take());
  });
  const refusal = isStopping() ? stopping : refusalOf(request);
  if (response.closed) end();
  else if (refusal !== undefined) refuseIt(refusal);
  else {
    arriving.add(refuseIt);
    makeRoom(gate);
  }
  return promise;
}

/** Refuses the oldest arriving requests until the others are within the limits. */
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

/** The content codings in which the audit function can read a body. */
const codings: readonly string[] = ['gzip', 'identity'];

/** Undefined if path and headers are acceptable. */
function refusalOf({ headers, url = '/', originalUrl = url }: Received): Refusal | undefined {
  if (!isPath(originalUrl))
    return {
      code: 400,
      error:
        'the path has a "%" that does not belong to an encoded UTF-8 character: write it as %25',
    };
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (codings.includes(coding)) return undefined;
  return {
    code: 415,
    error: `the content coding ${quote(coding)} is not supported: send the body with gzip or without a content coding`,
    headers: { 'accept-encoding': codings.join(', ') },
  };
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
  error: 'too many requests, or too many bytes of requests, at once: send the request again later',
  headers: { 'retry-after': '5' },
};

const stopping: Refusal = {
  code: 503,
  error: 'this process is stopping: send the request again',
  headers: { 'retry-after': '1', connection: 'close' },
};

function isPath(url: string): boolean {
  try {
    decodeURIComponent(url.replace(/\?.*$/s, ''));
    return true;
  } catch {
    return false;
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { code, error, headers } = refusal;
  response.writeHead(code, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify({ error }));
  const timer = setTimeout(() => request.socket.destroy(), 2000);
  timer.unref();
  for (const event of ['close', 'end']) request.once(event, () => clearTimeout(timer));
}
