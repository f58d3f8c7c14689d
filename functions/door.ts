import type { Request, Response } from '@google-cloud/functions-framework';
import { CredentialsError } from '../shared/cluster/credentials.ts';
import { DeadlineError, KubeError, messageOf, UnreachableError } from '../shared/cluster/errors.ts';
import type { Log } from '../shared/log.ts';
import { BusyError, SharedError } from '../shared/run-queue.ts';

/** A request that is invalid in itself: sending it again would not help. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Failures that are logged already, one by one. */
export class LoggedError extends Error {
  override readonly name = 'LoggedError';
}

/** The JSON object in a POST, or undefined where the body is empty. Takes the body out of the request. */
export function bodyOf(request: Request): unknown {
  const { method, rawBody } = request;
  delete request.rawBody;
  if (method !== 'POST') throw new RequestError(405, `${method} is not answered here: send a POST`);
  if (rawBody === undefined || rawBody.length === 0) return undefined;
  const value = parse(rawBody);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RequestError(400, 'the body is not a JSON object');
  }
  return value;
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

const retryAfterSeconds = 10;

/**
 * Answers with what `act` returns, as JSON. An error answer means that the run itself could not be
 * done and is worth sending again (503), or that the request is invalid (4xx).
 */
export async function answer(
  log: Log,
  response: Response,
  act: () => Promise<object>,
): Promise<void> {
  try {
    response.status(200).json(await act());
  } catch (error) {
    const code = error instanceof RequestError ? error.code : codeOf(error);
    if (code === 405) response.set('allow', 'POST');
    if (error instanceof BusyError) response.set('retry-after', String(retryAfterSeconds));
    const stack = code === 500 && error instanceof Error ? { stack: error.stack } : {};
    if (error instanceof LoggedError || error instanceof SharedError) {
      // Nothing to add.
    } else if (code >= 500 && !(error instanceof BusyError))
      log.error('run failed', { error: messageOf(error), ...stack });
    else log.warning('request refused', { error: messageOf(error) });
    response.status(code).json({ error: messageOf(error) });
  }
}

const codeOf = (error: unknown): number =>
  error instanceof LoggedError ||
  error instanceof SharedError ||
  error instanceof BusyError ||
  error instanceof UnreachableError ||
  error instanceof DeadlineError ||
  error instanceof KubeError ||
  error instanceof CredentialsError
    ? 503
    : 500;
