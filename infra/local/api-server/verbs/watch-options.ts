import { invalidObject } from '../errors/api-errors.ts';
import { type FieldError, forbidden, notSupported } from '../errors/field-error.ts';
import { integerAt, isSet, parseRevision } from '../requests/query.ts';
import { noContinue } from './list-options.ts';

/** Where a watch begins. */
export interface WatchOptions {
  /** Changes after this version; undefined: those from now on. */
  readonly since: number | undefined;
  /** Everything that is there comes first, as ADDED. */
  readonly initialEvents: boolean;
  readonly bookmarks: boolean;
  /** Its time is over before it begins. */
  readonly isOver: boolean;
}

/** Source: validateWatchOptions and SetListOptionsDefaults of k8s.io/apimachinery 0.36. */
export function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const isAsked = query.get('sendInitialEvents') !== null;
  const seconds = integerAt(query, 'timeoutSeconds') ?? 0;
  integerAt(query, 'limit');
  // Clients older than sendInitialEvents rely on what exists coming first.
  const isLegacy = !isAsked && match === '' && (version === '' || version === '0');
  const errors = matchErrors({
    match: isLegacy ? 'NotOlderThan' : match,
    isAsked: isAsked || isLegacy,
    next: query.get('continue') ?? '',
  });
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, errors);
  return {
    since: version === '' || version === '0' ? undefined : parseRevision(version),
    initialEvents: isLegacy || isSet(query, 'sendInitialEvents'),
    bookmarks: isSet(query, 'allowWatchBookmarks'),
    isOver: seconds < 0,
  };
}

const matchField = 'resourceVersionMatch';
const notOlderThan = 'NotOlderThan';

function matchErrors(given: { match: string; isAsked: boolean; next: string }): FieldError[] {
  const { match, isAsked, next } = given;
  const errors: FieldError[] = [];
  if (isAsked && match !== notOlderThan)
    errors.push(
      forbidden(matchField, `sendInitialEvents requires setting ${matchField} to ${notOlderThan}`),
    );
  if (match === '') return errors;
  if (!isAsked)
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
