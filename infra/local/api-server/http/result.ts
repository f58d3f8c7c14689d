import type { User } from '../authentication/user.ts';
import type { ApiServer } from '../dispatch/api-server.ts';
import { resolve } from '../dispatch/execute.ts';
import { NoSuchPath } from '../dispatch/resolve.ts';
import { badRequest } from '../errors/api-errors.ts';
import { ApiError, type Status } from '../errors/status.ts';
import { isTooDeep } from '../json/depth.ts';
import { type Answer, statusAnswer, textAnswer, yamlAnswer } from '../representations/answer.ts';
import { formatOf, type MediaType, negotiate } from '../representations/media-type.ts';
import type { Representing } from '../representations/partial.ts';
import { represent } from '../representations/represent.ts';
import { includeOf } from '../representations/table.ts';
import type { Exchange } from '../requests/exchange.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import type { Served } from '../resources/resource.ts';
import type { OpenWatch, Outcome } from '../verbs/call.ts';

/** The result of a request: an answer, or a stream of events. */
export type Result =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly failure?: Status }
  | {
      readonly kind: 'watch';
      readonly served: Served;
      readonly open: OpenWatch;
      readonly representing: Representing;
    };

/** Executes a request for a resource; every failure becomes an answer. */
export function resourceResult(
  server: ApiServer,
  {
    info,
    body,
    user,
    ...exchange
  }: Exchange & { readonly info: RequestInfo; readonly body: string; readonly user: User },
): Result {
  const warnings: string[] = [];
  const { query, userAgent, contentType } = exchange;
  try {
    const { traits, run } = resolve(server, {
      info,
      query,
      user,
      userAgent,
      contentType,
      body,
      warn: (text) => warnings.push(text),
    });
    const media = negotiate(exchange.accept, traits);
    const outcome = run();
    const representing: Representing = { media, query, now: server.clock() };
    if (outcome.kind === 'watch') return { ...outcome, representing: ofEvents(representing) };
    return shown(outcome, { representing, accept: exchange.accept, warnings });
  } catch (error) {
    const { answer, ...rest } = failed(error, formatOf(exchange.accept));
    return { ...rest, answer: { ...answer, warnings } };
  }
}

interface Showing {
  readonly representing: Representing;
  readonly accept: string;
  readonly warnings: readonly string[];
}

/**
 * Represents the outcome. If the requested form is impossible, the request was executed all the same, so the
 * audit log has only the code.
 */
function shown(
  outcome: Exclude<Outcome, { kind: 'watch' }>,
  { representing, accept, warnings }: Showing,
): Result {
  try {
    return { kind: 'answer', answer: { ...answerOf(outcome, representing), warnings } };
  } catch (error) {
    return { kind: 'answer', answer: { ...failed(error, formatOf(accept)).answer, warnings } };
  }
}

/** A watch sends objects one by one, even if a list is requested. Throws before the watch begins. */
function ofEvents(representing: Representing): Representing {
  const { media, query } = representing;
  if (media.as === 'table') includeOf(query);
  return media.as === 'metadata-list'
    ? { ...representing, media: { ...media, as: 'metadata' } }
    : representing;
}

function answerOf(
  outcome: Exclude<Outcome, { kind: 'watch' }>,
  representing: Representing,
): Answer {
  const text = represent(outcome, representing);
  const code = outcome.kind === 'list' ? 200 : outcome.code;
  if (representing.media.format === 'yaml') {
    return yamlAnswer(code, JSON.parse(text));
  }
  return { code, contentType: 'application/json', body: `${text}\n` };
}

/** The answer to a path that cannot be decoded: Go's HTTP server refuses it before any handler runs. */
export class MalformedPath extends Error {}

/** The answer to a failed request; an unexpected error is a 500 with its message. */
export function failed(
  error: unknown,
  format: MediaType['format'] = 'json',
): Extract<Result, { kind: 'answer' }> {
  if (error instanceof NoSuchPath) {
    return { kind: 'answer', answer: textAnswer(404, `${error.message}\n`) };
  }
  if (error instanceof MalformedPath) {
    return { kind: 'answer', answer: textAnswer(400, '400 Bad Request') };
  }
  const failure = statusOf(error);
  const answer = statusAnswer(failure);
  const shown = format === 'yaml' ? { ...answer, ...yamlAnswer(failure.code, failure) } : answer;
  return { kind: 'answer', answer: shown, failure };
}

// Puts neither a stack nor a local path into the answer.
function statusOf(error: unknown): Status {
  if (error instanceof ApiError) return error.status;
  if (isTooDeep(error)) return badRequest('exceeded max depth').status;
  const what = error instanceof Error ? error.message : String(error);
  return new ApiError({
    message: `Internal error occurred: ${what}`,
    reason: 'InternalError',
    code: 500,
  }).status;
}
