import { invalidObject } from '../errors/api-errors.ts';
import { type FieldError, forbidden, notSupported } from '../errors/field-error.ts';
import { integerAt, isSet, parseRevision } from '../requests/query.ts';
import { noContinue } from './list-options.ts';

/** Where a watch begins. */
export interface WatchOptions {
  /** Sends the changes after this version; undefined: from now on. */
  readonly since: number | undefined;
  /** Sends existing objects first, as ADDED. */
  readonly initialEvents: boolean;
  readonly bookmarks: boolean;
  /** True if the timeout has expired already at the start. */
  readonly isOver: boolean;
}

/**
 * Reads the options of a watch.
 *
 * Source: validateWatchOptions and SetListOptionsDefaults of k8s.io/apimachinery 0.36.
 */
export function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const wantsInitialEvents = query.get('sendInitialEvents') !== null;
  const seconds = integerAt(query, 'timeoutSeconds') ?? 0;
  integerAt(query, 'limit');
  // Clients that predate sendInitialEvents rely on existing objects coming first.
  const isLegacy = !wantsInitialEvents && match === '' && (version === '' || version === '0');
  const errors = matchErrors({
    match: isLegacy ? 'NotOlderThan' : match,
    wantsInitialEvents: wantsInitialEvents || isLegacy,
    next: query.get('continue') ?? '',
  });
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, errors);
  const since = parseRevision(version || '0');
  // Another spelling of version 0, such as `00`, is no legacy request, but has the same answer.
  const isFromAny = isLegacy || (since === 0 && !wantsInitialEvents);
  return {
    since: since === 0 ? undefined : since,
    initialEvents: isFromAny || isSet(query, 'sendInitialEvents'),
    bookmarks: isSet(query, 'allowWatchBookmarks'),
    isOver: seconds < 0,
  };
}

const matchField = 'resourceVersionMatch';
const notOlderThan = 'NotOlderThan';

function matchErrors(given: {
  match: string;
  wantsInitialEvents: boolean;
  next: string;
}): FieldError[] {
  const { match, wantsInitialEvents, next } = given;
  const errors: FieldError[] = [];
  if (wantsInitialEvents && match !== notOlderThan)
    errors.push(
      forbidden(matchField, `sendInitialEvents requires setting ${matchField} to ${notOlderThan}`),
    );
  if (match === '') return errors;
  if (!wantsInitialEvents)
    errors.push(
      forbidden(
        matchField,
        `${matchField} is forbidden for watch unless sendInitialEvents is provided`,
      ),
    );
  if (match !== notOlderThan) errors.push(notSupported(matchField, match, [notOlderThan]));
  if (next !== '') errors.push(noContinue);
  return errors;
}
