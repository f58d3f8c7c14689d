/** Judges which requests the Ingresses of one application admit, and with which scopes. */

import { authUrlAnnotation, markerIn } from '../../shared/kinds/child-types/ingress.ts';
import type { Live } from '../scenarios/api.ts';
import { type Endpoints, type Ingress, openRouter, type RouterScopes } from '../support/router.ts';

/** Returns the scopes that a list requires for a request; undefined if it admits none. */
export function scopesRequired(endpoints: Endpoints, request: string): RouterScopes {
  const prefixes = Object.keys(endpoints).filter(
    (path) => path === '/' || request === path || request.startsWith(`${path}/`),
  );
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : endpoints[longest];
}

/** Requests that distinguish the lists of these tests. */
export const requests = ['/', '/a', '/a/b', '/a/b/x', '/a/x', '/ab', '/c', '/c/x'];

const includes = (all: readonly string[], some: RouterScopes): boolean =>
  some?.every((scope) => all.includes(scope)) ?? false;

/** Reads an Ingress as the router does, with the scopes in its authorization URL. */
export function observe({ metadata, spec }: Live): Ingress {
  const { name, annotations, deletionTimestamp } = metadata;
  const address = annotations?.[authUrlAnnotation];
  const scopes =
    address === undefined ? [] : (new URL(address).searchParams.get('scopes') ?? '').split(' ');
  const { rules = [] } = spec as {
    readonly rules?: readonly { readonly http?: { readonly paths: readonly { path: string }[] } }[];
  };
  const patterns = rules.flatMap(({ http }) => http?.paths ?? []).map(({ path }) => path);
  const paths = patterns.map((path) => path.replace(/^\/[^/(]+\/[^/(]+/, '/ns/app'));
  return {
    name,
    paths,
    scopes,
    precedence: markerIn(patterns[0] ?? ''),
    precedenceOf: () => markerIn(patterns[0] ?? ''),
    deleting: deletionTimestamp !== undefined,
  };
}

/** Lists requests that are admitted with fewer scopes than every list requires. */
export function leaks(ingresses: readonly Live[], lists: readonly Endpoints[]): readonly string[] {
  const route = openRouter();
  const state = ingresses.map(observe);
  return requests.flatMap((request) => {
    const actual = route(state, request);
    const isFine =
      actual === undefined || lists.some((list) => includes(actual, scopesRequired(list, request)));
    return isFine ? [] : [`${request} asks for [${actual?.join()}] only`];
  });
}

/** Lists requests that are not routed as the list requires. */
export function misrouted(ingresses: readonly Live[], list: Endpoints): readonly string[] {
  const route = openRouter();
  const state = ingresses.map(observe);
  const text = (scopes: RouterScopes): string =>
    scopes === undefined ? 'closed' : `[${[...new Set(scopes)].toSorted().join()}]`;
  return requests.flatMap((request) => {
    const [actual, required] = [text(route(state, request)), text(scopesRequired(list, request))];
    return actual === required ? [] : [`${request} is ${actual}, not ${required}`];
  });
}

export const listOf = (endpoints: Endpoints) =>
  Object.entries(endpoints).map(([path, scopes]) => ({ path, scopes: [...scopes] }));
