import { subscribe } from 'node:diagnostics_channel';
import domain from 'node:domain';
import type { Server } from 'node:http';
import type { Request, Response } from '@google-cloud/functions-framework';
import {
  failureOf,
  InvalidRequestError,
  type RequestFailure,
} from '../shared/controller/request-errors.ts';
import { isFields, parseJson } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { boundBodies } from './bodies.ts';

class MethodError extends InvalidRequestError {}

/** Returns the body of a POST; undefined if the body is empty. */
export function bodyOf(request: Request): Buffer | undefined {
  const { method, rawBody } = request;
  delete request.rawBody;
  if (method !== 'POST') throw new MethodError(`${method} is not allowed: send a POST`);
  return rawBody === undefined || rawBody.length === 0 ? undefined : rawBody;
}

/** Parses the body of a POST, a JSON object; undefined if the body is empty. */
export function jsonBodyOf(request: Request): unknown {
  const body = bodyOf(request);
  if (body === undefined) return undefined;
  const value = parseJson(body.toString('utf8'));
  if (!isFields(value)) throw new InvalidRequestError('the body is not a JSON object');
  return value;
}

const codes: Readonly<Record<RequestFailure['kind'], number>> = {
  invalid: 400,
  busy: 503,
  transient: 503,
  unexpected: 500,
};

/** The HTTP methods of the platforms' health probes. */
const probes: readonly string[] = ['GET', 'HEAD'];
const allowed = [...probes, 'POST'].join(', ');

export type Respond = (response: Response, act: () => Promise<object>) => Promise<void>;

/**
 * Responds to a POST with the result of `act` as JSON. Responds to a health probe with 200, and neither reads a cluster
 * nor logs. An error response means: the request is invalid or too large (4xx); the run failed, and the same request
 * may succeed later (503); or an unexpected error (500).
 */
export function createResponder(log: Log, drain?: Drain): Respond {
  const handleWhole = boundBodies(log, {}, drain?.isStopping);
  return (response, act) => {
    const done = handleWhole(response.req, response, () => respond(log, response, act));
    drain?.holdUntil(done);
    return done;
  };
}

/**
 * Replaces Node's `domain`, in which the framework runs each request. No setting turns domains off. With
 * domains, Node tracks every promise of the process, which takes a fifth of the CPU time of a run that
 * writes. It also attributes an error on a connection to the request that opened the connection.
 */
const noDomain = { on: () => noDomain, run: (act: () => void) => act() };
Object.assign(domain, { create: () => noDomain });

async function respond(log: Log, response: Response, act: () => Promise<object>): Promise<void> {
  if (probes.includes(response.req.method)) {
    response.status(200).set('cache-control', 'no-store').json({ status: 'ok' });
    return;
  }
  try {
    response.status(200).json(await act());
  } catch (error) {
    const failure = failureOf(error);
    logFailure(log, failure, error);
    if (error instanceof MethodError) response.set('allow', allowed);
    if (failure.kind === 'busy') response.set('retry-after', '10');
    response
      .status(error instanceof MethodError ? 405 : codes[failure.kind])
      .json({ error: failure.message });
  }
}

function logFailure(log: Log, { kind, message, isLogged }: RequestFailure, error: unknown): void {
  if (isLogged) return;
  if (kind === 'invalid' || kind === 'busy') log.warning('request refused', { error: message });
  else {
    const stack = kind === 'unexpected' && error instanceof Error ? { stack: error.stack } : {};
    log.error('run failed', { error: message, ...stack });
  }
}

/** Delays the exit of the process until all work has ended. */
export interface Drain {
  readonly isStopping: () => boolean;
  /** Keeps the process alive until `work` has ended. */
  readonly holdUntil: (work: Promise<unknown>) => void;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Finishes the current requests when the platform stops the process. By default the framework responds to the latest
 * request with 500 and exits.
 *
 * Flow: a signal closes the port and calls `stop`, which moves the deadlines of runs. Once all work has ended, the
 * process exits with 0. A second signal ends the process at once.
 * Caveats: replaces the framework's signal handlers only at the first request to a server of the process.
 */
export function drainOnSignal(log: Log, stop: () => void): Drain {
  const pending = new Set<Promise<unknown>>();
  /** The function's server and, if there is one, the metrics server. */
  const servers = new Set<Server>();
  let isStopping = false;
  const end = async (): Promise<void> => {
    isStopping = true;
    log.info('stopping', { requests: pending.size });
    for (const server of servers) server.close();
    stop();
    while (pending.size > 0) await Promise.allSettled(pending);
    process.exit(0);
  };
  const takeOver = (message: unknown): void => {
    const isFirst = servers.size === 0;
    servers.add((message as { readonly server: Server }).server);
    if (!isFirst) return;
    for (const signal of signals) process.removeAllListeners(signal);
    const begin = (): void => {
      for (const signal of signals) process.off(signal, begin);
      void end();
    };
    for (const signal of signals) process.on(signal, begin);
  };
  subscribe('http.server.request.start', takeOver);
  return {
    isStopping: () => isStopping,
    holdUntil(work) {
      pending.add(work);
      const done = (): boolean => pending.delete(work);
      work.then(done, done);
    },
  };
}
