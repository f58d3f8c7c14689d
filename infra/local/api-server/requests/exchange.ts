import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hasStrayPercent, parseQuery, percentDecoded } from '../go/url.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';

/** One HTTP request, parsed. */
export interface Exchange {
  readonly id: string;
  readonly method: string;
  /** Decoded as a whole before it is split, so `%2F` is a slash like any other. */
  readonly path: string;
  /**
   * True if the path cannot be decoded.
   *
   * Source: url.ParseRequestURI of Go.
   */
  readonly isMalformed: boolean;
  readonly url: string;
  readonly query: URLSearchParams;
  /** Undefined for non-resource paths: discovery, health, version. */
  readonly info: RequestInfo | undefined;
  readonly userAgent: string;
  readonly accept: string;
  readonly contentType: string;
  readonly gzip: boolean;
  readonly received: Date;
}

export function exchangeOf(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  received: Date,
): Exchange {
  const [raw = '/', ...search] = url.split('?');
  const decoded = hasStrayPercent(raw) ? undefined : percentDecoded(raw);
  const path = decoded ?? raw;
  const query = parseQuery(search.join('?'));
  return {
    id: randomUUID(),
    method,
    path,
    isMalformed: decoded === undefined,
    url,
    query,
    info: decoded === undefined ? undefined : requestInfo(method, path, query),
    userAgent: headers['user-agent'] ?? '',
    accept: headers.accept ?? '',
    contentType: contentTypeOf(method, headers['content-type'] ?? ''),
    gzip: /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')),
    received,
  };
}

/**
 * Returns the media type of a body: of a patch as written, otherwise in lower case. Keeps malformed parameters, so that
 * the type is unknown.
 */
function contentTypeOf(method: string, header: string): string {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (method === 'PATCH') return type;
  return parameters.every(isReadable) ? type.toLowerCase() : header;
}

function isReadable(parameter: string, index: number, all: readonly string[]): boolean {
  // Allows one semicolon at the end.
  return (
    (parameter === '' && index === all.length - 1) ||
    /^[^\s="]+=("[^"]*"|[^\s="]+)$/.test(parameter)
  );
}
