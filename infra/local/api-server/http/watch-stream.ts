import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../objects/object.ts';
import type { Representing } from '../representations/partial.ts';
import { objectText } from '../representations/represent.ts';
import { initialEventsEndAnnotation } from '../representations/table.ts';
import { isSet } from '../requests/query.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';
import { encode, type Stored } from '../storage/stored.ts';
import type { OpenWatch, WatchEvent, Watcher } from '../verbs/call.ts';
import { createWatchGate, type WatchGate } from './watch-gate.ts';
import { watchPace } from './watch-pace.ts';

/** The open watches: they can be closed, and get bookmarks at intervals. */
export interface WatchStreams {
  readonly open: (stream: Stream) => () => void;
  /** Ends every watch, as a stopping server does. */
  readonly close: () => void;
  readonly count: () => number;
  /** Holds all events from now on; the returned function sends them, in order. */
  readonly freeze: () => () => void;
  /** Sends the held events and undoes every freeze. */
  readonly thaw: () => void;
}

interface Stream {
  readonly response: ServerResponse;
  readonly served: Served;
  readonly start: OpenWatch;
  readonly representing: Representing;
  readonly revision: () => number;
  readonly onBytes: (count: number) => void;
  readonly onEnd: () => void;
}

const minute = 60_000;
const maxTimeoutMs = 2 ** 31 - 1;

/** The operations on an open watch. */
interface Open {
  readonly eachMinute: () => void;
  readonly end: () => void;
}

/** One timer serves all watches, so that an idle watch costs nothing. */
export function createWatchStreams(): WatchStreams {
  const open = new Map<ServerResponse, Open>();
  const gate = createWatchGate();
  const timer = setInterval(() => {
    for (const { eachMinute } of [...open.values()]) eachMinute();
  }, minute);
  timer.unref();
  return {
    count: () => open.size,
    freeze: gate.hold,
    thaw: gate.open,
    close: () => {
      clearInterval(timer);
      for (const { end } of [...open.values()]) end();
    },
    open: (stream) => openStream(stream, open, gate),
  };
}

/** Caveat: a client that does not read loses its watch. */
function openStream(stream: Stream, all: Map<ServerResponse, Open>, gate: WatchGate): () => void {
  const { response, representing, revision } = stream;
  let stop: () => void = () => undefined;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    all.delete(response);
    clearTimeout(timeout);
    stop();
    response.end();
    stream.onEnd();
  };
  const pace = watchPace(response);
  let withoutColumns = false;
  const send = (event: WatchEvent): void => {
    if (ended) return;
    const text = `${eventText(event, { ...stream, representing: { ...representing, withoutColumns } })}\n`;
    withoutColumns = true;
    const bytes = Buffer.byteLength(text);
    stream.onBytes(bytes);
    response.write(text);
    pace.wrote(bytes);
  };
  const watcher: Watcher = {
    send: (event) => gate.enqueue(() => send(event)),
    end: () => gate.enqueue(end),
  };
  const timeout = timeoutOf(representing.query, end);
  sendHeaders(response);
  const wantsBookmarks = isSet(representing.query, 'allowWatchBookmarks');
  all.set(response, {
    end,
    eachMinute: () => {
      pace.eachMinute();
      if (wantsBookmarks)
        watcher.send({ type: 'BOOKMARK', revision: revision(), initialEventsEnd: false });
    },
  });
  response.on('close', end);
  stop = stream.start(watcher);
  gate.enqueue(pace.began);
  if (ended) stop();
  return end;
}

function sendHeaders(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
  });
  response.flushHeaders();
}

function timeoutOf(query: URLSearchParams, end: () => void): NodeJS.Timeout | undefined {
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  return seconds > 0 ? setTimeout(end, Math.min(seconds * 1000, maxTimeoutMs)) : undefined;
}

function eventText(event: WatchEvent, { served, representing }: Stream): string {
  if (event.type === 'ERROR') return JSON.stringify({ type: 'ERROR', object: event.status });
  const stored = event.type === 'BOOKMARK' ? bookmark(event, served) : event.stored;
  return `{"type":"${event.type}","object":${objectText(served, stored, representing)}}`;
}

function bookmark(
  { revision, initialEventsEnd }: Extract<WatchEvent, { type: 'BOOKMARK' }>,
  served: Served,
): Stored {
  const object: KubeObject = {
    kind: served.resource.kind,
    apiVersion: groupVersionOf(served),
    metadata: initialEventsEnd ? { annotations: { [initialEventsEndAnnotation]: 'true' } } : {},
  };
  return encode(object, revision, {});
}
