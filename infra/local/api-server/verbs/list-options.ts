import { badRequest, invalidObject } from '../errors/api-errors.ts';
import type { FieldError } from '../errors/field-error.ts';
import { forbidden, notSupported } from '../errors/field-error.ts';
import { ApiError } from '../errors/status.ts';
import { integerAt, parseRevision } from '../requests/query.ts';
import { type ContinueToken, decodeToken } from './continue-token.ts';

/** The state that a list shows, and the size of its pages. */
export interface ListOptions {
  readonly limit: number;
  readonly token?: ContinueToken;
  /** Undefined: the newest state; otherwise the requested version. */
  readonly revision?: number;
  readonly exact: boolean;
}

export function parseListOptions(query: URLSearchParams): ListOptions {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const next = query.get('continue') ?? '';
  const errors = matchErrors({ version, match, next });
  if (query.get('sendInitialEvents') !== null)
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, errors);
  integerAt(query, 'timeoutSeconds');
  const limit = Math.max(0, integerAt(query, 'limit') ?? 0);
  if (next !== '') {
    const token = decodeToken(next);
    if (version !== '' && version !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return { limit, token, exact: true };
  }
  if (version === '') return { limit, exact: false };
  const revision = listRevision(version);
  // Version 0 means any version. It ignores the limit; another spelling of zero, such as `00`, does not.
  if (revision === 0) return { limit: version === '0' ? 0 : limit, exact: false };
  const exact = match === 'Exact' || (match === '' && limit > 0);
  return { limit, revision, exact };
}

function listRevision(version: string): number {
  try {
    return parseRevision(version);
  } catch (error) {
    throw error instanceof ApiError
      ? badRequest(`invalid resource version: ${error.message}`)
      : error;
  }
}

const matchField = 'resourceVersionMatch';
export const noContinue = forbidden(
  matchField,
  `${matchField} is forbidden when continue is provided`,
);

function matchErrors(given: { version: string; match: string; next: string }): FieldError[] {
  const { version, match, next } = given;
  if (match === '') return [];
  const errors: FieldError[] = [];
  if (version === '') {
    errors.push(
      forbidden(matchField, `${matchField} is forbidden unless resourceVersion is provided`),
    );
  }
  if (next !== '') errors.push(noContinue);
  if (!['Exact', 'NotOlderThan'].includes(match)) {
    errors.push(notSupported(matchField, match, ['Exact', 'NotOlderThan', '']));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(
      forbidden(matchField, `${matchField} "exact" is forbidden for resourceVersion "0"`),
    );
  }
  return errors;
}
