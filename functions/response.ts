import domain from 'node:domain';
import type { Request, Response } from '@google-cloud/functions-framework';
import { failureOf, RequestFailure } from '../shared/controller/request-errors.ts';
import { isFields, parseJson } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { boundBodies, isProbe, probes } from './bodies.ts';
import type { Drain } from './drain.ts';

class MethodError extends RequestFailure {}

/** Undefined if the body is empty. Throws a MethodError unless the request is a POST. */
export function bodyOf(request: Request): Buffer | undefined {
  const { method, rawBody } = request;
  delete request.rawBody;
  if (method !== 'POST') throw new MethodError('invalid', `${method} is not allowed: send a POST`);
  return rawBody === undefined || rawBody.length === 0 ? undefined : rawBody;
}

/** Undefined if the body is empty. Throws a RequestFailure unless it is a JSON object. */
export function jsonBodyOf(request: Request): unknown {
  const body = bodyOf(request);
  if (body === undefined) return undefined;
  const value = parseJson(body.toString('utf8'));
  if (!isFields(value)) throw new RequestFailure('invalid', 'the body is not a JSON object');
  return value;
}

const codes: Readonly<Record<RequestFailure['kind'], number>> = {
  invalid: 400,
  busy: 503,
  transient: 503,
  unexpected: 500,
};

const allowed = [...probes, 'POST'].join(', ');

export type Respond = (response: Response, act: () => Promise<object>) => Promise<void>;

/**
 * Responds to a POST with the result of `act` as JSON, or with an error:
 *
 * - 4xx: the request is invalid or too large
 * - 503: the run failed or did not begin, and the same request may succeed later
 * - 500: an unexpected error
 *
 * After any of these, a platform may send the request again. So a JSON body with unreadable contents gets 200
 * (`Delivery.problem`). Health probes also get 200, without reading a cluster or logging.
 */
export function createResponder(log: Log, drain?: Drain): Respond {
  const handleWhole = boundBodies(log, {}, drain?.stopped);
  return (response, act) => {
    const done = handleWhole(response.req, response, () => sendResponse(log, response, act));
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

async function sendResponse(
  log: Log,
  response: Response,
  act: () => Promise<object>,
): Promise<void> {
  if (isProbe(response.req)) {
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
