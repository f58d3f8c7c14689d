import { isSet } from './boolean.ts';
/** What a URL and a method ask for, before anyone knows whether it is served. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

const METHOD_VERBS: Readonly<Record<string, Verb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Reads `/api/v1/…` and `/apis/G/V/…` below the group version; undefined for any other path. */
export const requestInfo = (
  method: string,
  path: string,
  query: URLSearchParams,
): RequestInfo | undefined => {
  const [root, ...rest] = decodedParts(path);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', version = '', ...below] = root === 'api' ? ['', ...rest] : rest;
  if (below.length === 0 || below[0] === '' || below[0] === 'watch') return undefined;
  const place = placeOf(below);
  const verb = METHOD_VERBS[method];
  if (place === undefined || verb === undefined) return undefined;
  return { ...place, group, version, verb: collectionVerb(verb, place.name, query) };
};

// A path that cannot be decoded names nothing.
const decodedParts = (path: string): string[] => {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return [];
  }
};

type Place = Pick<RequestInfo, 'plural' | 'namespace' | 'name' | 'subresource'>;

const placeOf = (parts: readonly string[]): Place | undefined => {
  const [first, second = '', third, fourth = '', fifth = ''] = parts;
  const isInNamespace =
    first === 'namespaces' && third !== undefined && !['status', 'finalize'].includes(third);
  if (isInNamespace) {
    return parts.length > 5 || third === ''
      ? undefined
      : { namespace: second, plural: third, name: fourth, subresource: fifth };
  }
  if (parts.length > 3) return undefined;
  return { namespace: '', plural: first ?? '', name: second, subresource: third ?? '' };
};

const collectionVerb = (verb: Verb, name: string, query: URLSearchParams): Verb => {
  if (verb === 'get') {
    if (isSet(query, 'watch')) return 'watch';
    return name === '' ? 'list' : 'get';
  }
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
};
