import { expired, futureVersion } from '../errors/api-errors.ts';
import type { ServerState } from '../resources/server-state.ts';
import { entriesAt, positionOf } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import type { Stored } from '../storage/stored.ts';
import type { Call, ListOutcome } from './call.ts';
import { encodeStart, encodeToken } from './continue-token.ts';
import { type ListOptions, parseListOptions } from './list-options.ts';
import { type Selection, selectionOf } from './selection.ts';

/**
 * Lists a resource in key order, in pages if a limit is given.
 *
 * Guarantees: every page of one list shows the same revision.
 * Caveats: after that revision is compacted, the answer is a 410 with a token that continues at the current
 * revision.
 */
export function list({ store }: ServerState, call: Call): ListOutcome {
  const options = parseListOptions(call.query);
  const selection = selectionOf(call);
  const { served } = call.target;
  const revision = revisionOf(store, options);
  const entries = entriesAt(store.collection(served.resource.collection), revision);
  const page = cut(entries, options, selection);
  const { last, rest } = page;
  return {
    kind: 'list',
    served,
    revision,
    entries: page.entries,
    ...(last === undefined
      ? {}
      : { next: encodeToken(last.key.slice(selection.prefix.length), revision) }),
    ...(last === undefined || selection.selective ? {} : { remaining: rest }),
  };
}

const oldToken =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
const oldVersion = 'The resourceVersion for the provided list is too old.';

function revisionOf(store: Store, { token, revision, exact }: ListOptions): number {
  const current = store.revision();
  if (token) {
    if (token.rv < 0) return current;
    if (token.rv < store.compacted()) {
      throw expired(oldToken, encodeStart({ start: token.start, rv: -1 }));
    }
    return token.rv;
  }
  if (revision === undefined) return current;
  if (revision > current) throw futureVersion(revision, current);
  if (!exact) return current;
  if (revision < store.compacted()) throw expired(oldVersion);
  return revision;
}

interface Page {
  readonly entries: readonly Stored[];
  /** The last entry examined, if the list continues after it. */
  readonly last?: Stored;
  readonly rest: number;
}

/** Returns the entries of one page; with a selector, it may be shorter than the limit or empty. */
function cut(
  entries: readonly Stored[],
  { limit, token }: ListOptions,
  { prefix, matches, selective, key }: Selection,
): Page {
  const start = positionOf(entries, key ?? `${prefix}${token?.start ?? ''}`);
  const end = key === undefined ? endOf(entries, prefix) : endOf(entries, key);
  if (!selective && (limit === 0 || end - start <= limit)) {
    return { entries: entries.slice(start, end), rest: 0 };
  }
  const found: Stored[] = [];
  for (let index = start; index < end; index++) {
    const entry = entries[index];
    if (entry === undefined || !matches(entry)) continue;
    if (key !== undefined && entry.key !== key) continue;
    found.push(entry);
    const rest = end - index - 1;
    if (found.length === limit && rest > 0) return { entries: found, last: entry, rest };
  }
  return { entries: found, rest: 0 };
}

/** Returns the position after the last key that begins with `prefix`. */
function endOf(entries: readonly Stored[], prefix: string): number {
  return prefix === '' ? entries.length : positionOf(entries, `${prefix}\uffff`);
}
