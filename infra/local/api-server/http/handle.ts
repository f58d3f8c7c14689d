import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../audit/event.ts';
import { auditEvent, isAudited } from '../audit/record.ts';
import { faultAnswer } from '../faults/effect.ts';
import type { FaultEffect, FaultTarget } from '../faults/fault.ts';
import type { ProtobufReader } from '../protobuf/decode.ts';
import { formatOf } from '../representations/media-type.ts';
import { assertTimeout } from '../requests/timeout.ts';
import type { ApiServer } from '../server.ts';
import { assertLocal, authenticate, type Tokens } from './authentication.ts';
import { readBody } from './body.ts';
import { aboutOf, type Exchange, exchangeOf } from './exchange.ts';
import type { RequestRecord } from './request-log.ts';
import { type Answer, send } from './respond.ts';
import { failed, MalformedPath, type Result, resourceResult } from './result.ts';
import type { WatchStreams } from './watch-stream.ts';

/** What a request is known by to interceptors. */
export type Intercepted = FaultTarget & { readonly body: string };

export interface Handling {
  readonly server: ApiServer;
  readonly tokens: Tokens;
  readonly watches: WatchStreams;
  /** Answers what is no resource: discovery, OpenAPI, health, version. */
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
  readonly body: string;
  readonly response: ServerResponse;
}

/**
 * Answers one HTTP request.
 *
 * Flow: host, token, body, interceptors, faults; then, in one piece, the request itself; then the
 * audit log, the answer and the request log.
 */
export const handle = async (
  handling: Handling,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const opened = exchangeOf(request, handling.server.clock());
  let work: Work = { exchange: opened, body: '', response };
  try {
    assertLocal(request);
    if (opened.isMalformed) throw new MalformedPath();
    assertTimeout(opened.query, opened.info);
    const user = authenticate(request, handling.tokens);
    const { body, contentType } = await readBody(
      request,
      opened.contentType,
      handling.fromProtobuf,
    );
    work = { ...work, exchange: { ...opened, user, contentType }, body };
    await handling.intercept({ ...aboutOf(work.exchange), body: work.body });
  } catch (error) {
    return finish(handling, work, failed(error, formatOf(opened.accept)));
  }
  const about = aboutOf(work.exchange);
  const effect = handling.nextFault(about);
  if (effect?.kind === 'delay') {
    await sleep(effect.ms, undefined, { signal: handling.stopping });
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
};

const carryOut = ({ server, answerPath }: Handling, { exchange, body }: Work): Result => {
  const { info } = exchange;
  if (info !== undefined) return resourceResult(server, { ...exchange, info, body });
  try {
    return { kind: 'answer', answer: answerPath(exchange) };
  } catch (error) {
    return failed(error, formatOf(exchange.accept));
  }
};

const drop = (handling: Handling, { exchange, response }: Work): void => {
  record(handling, exchange, { status: 0, bytes: 0 });
  response.destroy();
};

const openWatch = (
  handling: Handling,
  { exchange, response }: Work,
  { served, open, representing }: Extract<Result, { kind: 'watch' }>,
): void => {
  let bytes = 0;
  handling.watches.open({
    response,
    served,
    start: open,
    representing,
    revision: handling.server.store.revision,
    onBytes: (count) => {
      bytes += count;
    },
    onEnd: () => record(handling, exchange, { status: 200, bytes }),
  });
};

const finish = async (
  handling: Handling,
  work: Work,
  result: Extract<Result, { kind: 'answer' }>,
): Promise<void> => {
  const { exchange, response } = work;
  audit(handling, work, result);
  // Logged before it is sent, so that whoever has the answer finds the request in the log.
  const { gzip, id } = exchange;
  await send(response, result.answer, {
    gzip,
    auditId: id,
    onSize: (bytes) => record(handling, exchange, { status: result.answer.code, bytes }),
  });
};

const audit = (
  handling: Handling,
  { exchange, body }: Work,
  { answer, failure }: Extract<Result, { kind: 'answer' }>,
): void => {
  const { info, url, user, userAgent, received, id } = exchange;
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
};

const record = (
  { log }: Handling,
  exchange: Exchange,
  { status, bytes }: { readonly status: number; readonly bytes: number },
): void => {
  const { userAgent, url } = exchange;
  log({ ...aboutOf(exchange), userAgent, path: url, status, bytes });
};
