import { expired, futureVersion } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import type { ServerState } from '../resources/server-state.ts';
import { changesSince, entriesAt } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import { type Change, removedState } from '../storage/stored.ts';
import type { Call, Outcome, Watcher } from './call.ts';
import { type Selection, selectionOf } from './selection.ts';
import { parseWatchOptions } from './watch-options.ts';

/**
 * Streams the changes of a resource.
 *
 * Flow: with initial events, sends every object as ADDED and a bookmark that marks their end; otherwise sends
 * all changes since a version. Then sends every commit as it happens.
 * Guarantees: no change is omitted or sent twice. An object that stops matching is sent as DELETED.
 * Caveats: a compacted version gets one ERROR event (410), and the stream ends. For a version in the future,
 * the watch waits without an event.
 */
export function watch({ store }: ServerState, call: Call): Outcome {
  const selection = selectionOf(call);
  const { served } = call.target;
  const options = parseWatchOptions(call.query);
  const { initialEvents, bookmarks, since = store.revision() } = options;
  const { collection } = served.resource;
  const oldest = Math.max(store.compacted(), store.collection(collection).since);
  const open = (watcher: Watcher): (() => void) => {
    if (options.isOver) {
      watcher.end();
      return () => undefined;
    }
    if (initialEvents && since > store.revision()) {
      return refuse(watcher, futureVersion(since, store.revision()));
    }
    if (!initialEvents && since < oldest) {
      return refuse(watcher, expired(`too old resource version: ${since} (${oldest})`));
    }
    const sendChange = senderOf(watcher, selection);
    if (initialEvents) sendPresent(store, collection, { watcher, selection });
    else for (const change of changesSince(store.collection(collection), since)) sendChange(change);
    if (initialEvents && bookmarks) {
      watcher.send({ type: 'BOOKMARK', revision: store.revision(), initialEventsEnd: true });
    }
    return store.subscribe((change) => {
      if (change.collection === collection && change.revision > since) sendChange(change);
    });
  };
  return { kind: 'watch', served, open };
}

function refuse(watcher: Watcher, { status }: ApiError): () => void {
  watcher.send({ type: 'ERROR', status });
  watcher.end();
  return () => undefined;
}

function sendPresent(
  store: Store,
  collection: string,
  { watcher, selection }: { watcher: Watcher; selection: Selection },
): void {
  const { prefix, matches } = selection;
  for (const stored of entriesAt(store.collection(collection), store.revision())) {
    if (stored.key.startsWith(prefix) && matches(stored)) watcher.send({ type: 'ADDED', stored });
  }
}

function senderOf(watcher: Watcher, { prefix, matches }: Selection) {
  return (change: Change): void => {
    const { before, after } = change;
    if (!(after ?? before)?.key.startsWith(prefix)) return;
    const was = before !== undefined && matches(before);
    const is = after !== undefined && matches(after);
    if (is) watcher.send({ type: was ? 'MODIFIED' : 'ADDED', stored: after });
    else if (was) {
      // An object that stops matching is sent in its last matching state.
      const stored = removedState(change);
      if (stored) watcher.send({ type: 'DELETED', stored });
    }
  };
}
