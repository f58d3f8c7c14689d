import type { ApiRequest } from '../../client.ts';

type Query = Readonly<Record<string, string>>;

export const ours = { fieldManager: 'ours', force: 'true' };
export const theirs = { fieldManager: 'theirs' };

export const get = (path: string, query: Query = {}): ApiRequest => ({
  method: 'GET',
  path,
  query,
});

export const post = (path: string, body: unknown, query: Query = {}): ApiRequest => ({
  method: 'POST',
  path,
  query,
  body,
});

export const put = (path: string, body: unknown, query: Query = {}): ApiRequest => ({
  method: 'PUT',
  path,
  query,
  body,
});

export const del = (path: string, body?: unknown, query: Query = {}): ApiRequest => ({
  method: 'DELETE',
  path,
  query,
  ...(body === undefined ? {} : { body }),
});

/** Server-side apply, with our manager and force unless the query differs. */
export const apply = (path: string, body: unknown, query: Query = ours): ApiRequest =>
  patch('application/apply-patch+yaml', path, body, query);

export const mergePatch = (path: string, body: unknown, query: Query = theirs): ApiRequest =>
  patch('application/merge-patch+json', path, body, query);

export const jsonPatch = (path: string, body: unknown, query: Query = theirs): ApiRequest =>
  patch('application/json-patch+json', path, body, query);

export const strategicPatch = (path: string, body: unknown, query: Query = theirs): ApiRequest =>
  patch('application/strategic-merge-patch+json', path, body, query);

export function patch(contentType: string, path: string, body: unknown, query: Query): ApiRequest {
  return { method: 'PATCH', path, query, headers: { 'content-type': contentType }, body };
}

export const as = (user: string, request: ApiRequest): ApiRequest => ({ ...request, as: user });
