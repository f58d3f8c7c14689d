import type { ServerResponse } from 'node:http';
import type { Representing } from '../representations/partial.ts';
import { objectText } from '../representations/represent.ts';
import { isSet } from '../requests/boolean.ts';
import type { OpenWatch, WatchEvent, Watcher } from '../requests/call.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';

/** The watches that are open, so that they can be told of the time and be closed. */
export interface WatchStreams {
  readonly open: (stream: Stream) => () => void;
  /** Ends every watch, as a server does that stops. */
  readonly close: () => void;
  readonly count: () => number;
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

const MINUTE = 60_000;

/** What is done with an open watch from outside. */
interface Open {
  readonly eachMinute: () => void;
  readonly end: () => void;
}

/** One timer serves all watches, so that an idle one costs nothing. */
export const createWatchStreams = (): WatchStreams => {
  const open = new Map<ServerResponse, Open>();
  const timer = setInterval(() => {
    for (const { eachMinute } of [...open.values()]) eachMinute();
  }, MINUTE);
  timer.unref();
  return {
    count: () => open.size,
    close: () => {
      clearInterval(timer);
      for (const { end } of [...open.values()]) end();
    },
    open: (stream) => openStream(stream, open),
  };
};

/** Caveat: a client that reads nothing for a minute although there is something loses its watch. */
const openStream = (stream: Stream, all: Map<ServerResponse, Open>): (() => void) => {
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
  const watcher: Watcher = {
    send: (event) => {
      if (ended) return;
      const text = `${eventText(event, stream)}\n`;
      stream.onBytes(text.length);
      response.write(text);
    },
    end,
  };
  const timeout = timeoutOf(representing.query, end);
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
  });
  response.flushHeaders();
  const wantsBookmarks = isSet(representing.query, 'allowWatchBookmarks');
  let isStuck = false;
  response.on('drain', () => {
    isStuck = false;
  });
  all.set(response, {
    end,
    eachMinute: () => {
      if (isStuck) {
        response.destroy();
        return;
      }
      isStuck = response.writableNeedDrain;
      if (wantsBookmarks)
        watcher.send({ type: 'BOOKMARK', revision: revision(), initialEventsEnd: false });
    },
  });
  response.on('close', end);
  stop = stream.start(watcher);
  if (ended) stop();
  return end;
};

const timeoutOf = (query: URLSearchParams, end: () => void): NodeJS.Timeout | undefined => {
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  return seconds > 0 ? setTimeout(end, seconds * 1000) : undefined;
};

const eventText = (event: WatchEvent, { served, representing }: Stream): string => {
  if (event.type === 'ERROR') return JSON.stringify({ type: 'ERROR', object: event.status });
  if (event.type === 'BOOKMARK') return bookmarkText(event, served);
  return `{"type":"${event.type}","object":${objectText(served, event.stored, representing)}}`;
};

const bookmarkText = (
  { revision, initialEventsEnd }: Extract<WatchEvent, { type: 'BOOKMARK' }>,
  served: Served,
): string =>
  JSON.stringify({
    type: 'BOOKMARK',
    object: {
      kind: served.resource.kind,
      apiVersion: groupVersionOf(served),
      metadata: {
        resourceVersion: String(revision),
        ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      },
    },
  });
