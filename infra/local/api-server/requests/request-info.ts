import { isSet } from './query.ts';

/** The target of a URL and a method, whether or not it is served. */
export interface RequestInfo {
  /** Empty for a method without a verb, such as OPTIONS or TRACE. */
  readonly verb: Verb | '';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The rest of the path: ignored for custom resources, a 404 for built-in resources. */
  readonly rest?: string;
  /** True for a method that built-in resources do not accept here, whatever its verb: HEAD, or POST to a watch. */
  readonly otherMethod?: true;
}

/** The parts of a request that do not depend on its target; from the network or from a controller. */
export interface ParsedRequest {
  readonly query: URLSearchParams;
  readonly userAgent: string;
  /** The media type of the body, without parameters. */
  readonly contentType: string;
  readonly body: string;
  /** Receives warnings for the client. */
  readonly warn: (text: string) => void;
}

export const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] as const;

export type Verb = (typeof verbs)[number];

const methodVerbs: Readonly<Record<string, Verb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Parses `/api/v1/…` and `/apis/G/V/…` below the group version; undefined for any other path. `path` is
 * decoded, and slashes at its end are ignored.
 *
 * Source: RequestInfoFactory of k8s.io/apiserver 0.36.
 */
export function requestInfo(
  method: string,
  path: string,
  query: URLSearchParams,
): RequestInfo | undefined {
  const [root, ...rest] = path.replace(/\/+$/, '').split('/').slice(1);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', version = '', ...below] = root === 'api' ? ['', ...rest] : rest;
  // The old form of a watch, whose path begins with the verb.
  const isWatchPath = below[0] === 'watch';
  if (isWatchPath) below.shift();
  if (below.length === 0) return undefined;
  const place = placeOf(below);
  if (isWatchPath && place.subresource !== '') return undefined;
  const isOther = isWatchPath ? method !== 'GET' : !(method in methodVerbs) || method === 'HEAD';
  const verb = isWatchPath ? 'watch' : verbOf(methodVerbs[method], place.name, query);
  return { ...place, group, version, verb, ...(isOther ? { otherMethod: true } : {}) };
}

type Place = Pick<RequestInfo, 'plural' | 'namespace' | 'name' | 'subresource' | 'rest'>;

function placeOf(parts: readonly string[]): Place {
  const [first = '', second = '', third] = parts;
  const isInNamespace =
    first === 'namespaces' && third !== undefined && !['status', 'finalize'].includes(third);
  const namespace = isInNamespace ? second : '';
  const [plural = '', name = '', subresource = '', ...rest] = isInNamespace
    ? parts.slice(2)
    : parts;
  const behind = rest.length === 0 ? {} : { rest: rest.join('/') };
  return { namespace, plural, name, subresource, ...behind };
}

function verbOf(verb: Verb | undefined, name: string, query: URLSearchParams): Verb | '' {
  if (verb === undefined) return '';
  if (name !== '') return verb;
  if (verb === 'get') return isSet(query, 'watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}
