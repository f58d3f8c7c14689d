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

/** What is sent back: an answer, or a stream of events. */
export type Result =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly failure?: Status }
  | {
      readonly kind: 'watch';
      readonly served: Served;
      readonly open: OpenWatch;
      readonly representing: Representing;
    };

/** Carries out a request to a resource; every failure becomes an answer. */
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

/** The audit log has the code alone of what was carried out and cannot be shown as asked for. */
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

/** A watch is refused before it begins, and shows objects one by one whatever list is asked for. */
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

/** A path that cannot be decoded: Go's HTTP server refuses it before any handler runs. */
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

// No stack and no path of this machine goes into an answer.
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
