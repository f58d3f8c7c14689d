import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../audit/event.ts';
import { auditEvent, isAudited } from '../audit/record.ts';
import { assertLocal, authenticate, type Tokens } from '../authentication/authenticate.ts';
import type { User } from '../authentication/user.ts';
import type { ApiServer } from '../dispatch/api-server.ts';
import { faultAnswer } from '../faults/effect.ts';
import { type FaultEffect, type FaultTarget, faultTargetOf } from '../faults/fault.ts';
import type { Intercepted } from '../faults/interceptors.ts';
import type { ProtobufReader } from '../protobuf/decode.ts';
import type { Answer } from '../representations/answer.ts';
import { formatOf } from '../representations/media-type.ts';
import { indented, isPretty } from '../representations/pretty.ts';
import { type Exchange, exchangeOf } from '../requests/exchange.ts';
import { assertTimeout } from '../requests/query.ts';
import { readBody } from './body.ts';
import type { RequestRecord } from './request-log.ts';
import { send } from './respond.ts';
import { failed, MalformedPath, type Result, resourceResult } from './result.ts';
import type { WatchStreams } from './watch-stream.ts';

export interface Handling {
  readonly server: ApiServer;
  readonly tokens: Tokens;
  readonly watches: WatchStreams;
  /** Answers non-resource paths: discovery, OpenAPI, health, version. */
  readonly answerPath: (exchange: Exchange) => Answer;
  readonly fromProtobuf: ProtobufReader;
  readonly nextFault: (target: FaultTarget) => FaultEffect | undefined;
  readonly intercept: (request: Intercepted) => Promise<void>;
  readonly log: (record: RequestRecord) => void;
  readonly audit: (event: AuditEvent) => void;
  /** Aborts when the server stops, so that no delayed answer outlives it. */
  readonly stopping: AbortSignal;
}

interface Work {
  readonly exchange: Exchange;
  readonly user: User;
  readonly body: string;
  readonly response: ServerResponse;
}

/**
 * Answers one HTTP request.
 *
 * Flow: host, token, body, interceptors, faults; then the request itself, in one turn of the event loop; then
 * the audit log, the answer and the request log.
 */
export async function handle(
  handling: Handling,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const opened = exchangeOf(request, handling.server.clock());
  let work: Work = { exchange: opened, user: noUser, body: '', response };
  try {
    assertLocal(request);
    if (opened.isMalformed) throw new MalformedPath();
    assertTimeout(opened.query, opened.info?.verb);
    const user = authenticate(request, handling.tokens);
    const { body, contentType } = await readBody(
      request,
      opened.contentType,
      handling.fromProtobuf,
    );
    work = { ...work, exchange: { ...opened, contentType }, user, body };
    await handling.intercept({ ...aboutOf(work), body: work.body, path: request.url ?? '' });
  } catch (error) {
    return finish(handling, work, failed(error, formatOf(opened.accept)));
  }
  const about = aboutOf(work);
  const effect = handling.nextFault(about);
  if (effect?.kind === 'delay') {
    await sleep(effect.ms, undefined, { signal: handling.stopping });
    // A real API server gives up a request in admission once its client has gone.
    if (response.destroyed) return drop(handling, work);
  }
  if (effect?.kind === 'drop' && effect.when === 'before') return drop(handling, work);
  if (effect?.kind === 'status') {
    return finish(handling, work, { kind: 'answer', answer: faultAnswer(effect, about) });
  }
  const result = carryOut(handling, work);
  if (effect?.kind === 'drop') {
    if (result.kind === 'answer') audit(handling, work, result);
    return drop(handling, work);
  }
  if (result.kind === 'watch') return openWatch(handling, work, result);
  return finish(handling, work, result);
}

function carryOut({ server, answerPath }: Handling, { exchange, user, body }: Work): Result {
  const { info } = exchange;
  if (info !== undefined) return resourceResult(server, { ...exchange, user, info, body });
  try {
    return { kind: 'answer', answer: answerPath(exchange) };
  } catch (error) {
    return failed(error, formatOf(exchange.accept));
  }
}

/** Stands for the caller until the token is read. */
const noUser: User = { username: '', groups: [] };

function aboutOf({ exchange, user }: Work): FaultTarget {
  return faultTargetOf(exchange, user.username);
}

function drop(handling: Handling, work: Work): void {
  record(handling, work, { status: 0, bytes: 0 });
  work.response.destroy();
}

function openWatch(
  handling: Handling,
  work: Work,
  { served, open, representing }: Extract<Result, { kind: 'watch' }>,
): void {
  let bytes = 0;
  handling.watches.open({
    response: work.response,
    served,
    start: open,
    representing,
    revision: () => handling.server.store.revision(),
    onBytes: (count) => {
      bytes += count;
    },
    onEnd: () => record(handling, work, { status: 200, bytes }),
  });
}

async function finish(
  handling: Handling,
  work: Work,
  result: Extract<Result, { kind: 'answer' }>,
): Promise<void> {
  const { exchange, response } = work;
  audit(handling, work, result);
  // Logged before the answer is sent, so that a client with an answer finds its request in the log.
  const { gzip, id } = exchange;
  await send(response, shownTo(exchange, result.answer), {
    gzip,
    auditId: id,
    onSize: (bytes) => record(handling, work, { status: result.answer.code, bytes }),
  });
}

/** Indents objects, failures and discovery on request; OpenAPI and the version are never indented. */
function shownTo({ info, path, query, userAgent }: Exchange, answer: Answer): Answer {
  const isOfApi = info !== undefined || /^\/apis?(\/|$)/.test(path);
  const isJson = answer.contentType.startsWith('application/json');
  if (!isOfApi || !isJson || !isPretty(query, userAgent)) return answer;
  return { ...answer, body: indented(answer.body) };
}

function audit(
  handling: Handling,
  { exchange, user, body }: Work,
  { answer, failure }: Extract<Result, { kind: 'answer' }>,
): void {
  const { info, url, userAgent, received, id } = exchange;
  if (info === undefined || !isAudited(info)) return;
  handling.audit(
    auditEvent({
      info,
      requestURI: url,
      user,
      userAgent,
      received,
      completed: handling.server.clock(),
      code: answer.code,
      body,
      auditId: id,
      ...(failure ? { failure } : {}),
    }),
  );
}

function record(
  { log }: Handling,
  work: Work,
  { status, bytes }: { readonly status: number; readonly bytes: number },
): void {
  const { userAgent, url } = work.exchange;
  log({ ...aboutOf(work), userAgent, path: url, status, bytes });
}
