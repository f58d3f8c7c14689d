import { stringify as yamlText } from 'yaml';
import { ApiError, type Status } from '../errors/status.ts';
import { negotiate } from '../representations/media-type.ts';
import type { Representing } from '../representations/partial.ts';
import { represent } from '../representations/represent.ts';
import type { OpenWatch, Outcome } from '../requests/call.ts';
import { execute } from '../requests/execute.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import { NoSuchPath } from '../requests/resolve.ts';
import type { Served } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import type { Exchange } from './exchange.ts';
import { type Answer, statusAnswer, textAnswer } from './respond.ts';

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
export const resourceResult = (
  server: ApiServer,
  { info, body, ...exchange }: Exchange & { readonly info: RequestInfo; readonly body: string },
): Result => {
  const warnings: string[] = [];
  const { query, user, userAgent, contentType } = exchange;
  try {
    const media = negotiate(exchange.accept);
    const representing: Representing = { media, query, now: server.clock() };
    const outcome = execute(server, {
      info,
      query,
      user,
      userAgent,
      contentType,
      body,
      warn: (text) => warnings.push(text),
    });
    if (outcome.kind === 'watch') return { ...outcome, representing };
    return { kind: 'answer', answer: { ...answerOf(outcome, representing), warnings } };
  } catch (error) {
    const { answer, ...rest } = failed(error);
    return { ...rest, answer: { ...answer, warnings } };
  }
};

const answerOf = (
  outcome: Exclude<Outcome, { kind: 'watch' }>,
  representing: Representing,
): Answer => {
  const text = represent(outcome, representing);
  const code = outcome.kind === 'list' ? 200 : outcome.code;
  if (representing.media.format === 'yaml') {
    return { code, contentType: 'application/yaml', body: yamlText(JSON.parse(text)) };
  }
  return { code, contentType: 'application/json', body: `${text}\n` };
};

/** The answer to a request that failed; what no one foresaw is a 500 with its message. */
export const failed = (error: unknown): Extract<Result, { kind: 'answer' }> => {
  if (error instanceof NoSuchPath) {
    return { kind: 'answer', answer: textAnswer(404, `${error.message}\n`) };
  }
  const failure =
    error instanceof ApiError
      ? error.status
      : new ApiError({
          message: `Internal error occurred: ${error instanceof Error ? error.stack : error}`,
          reason: 'InternalError',
          code: 500,
        }).status;
  return { kind: 'answer', answer: statusAnswer(failure), failure };
};
