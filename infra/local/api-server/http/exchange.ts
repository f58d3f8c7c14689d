import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FaultTarget } from '../faults/fault.ts';
import { contentTypeOf } from '../requests/content-type.ts';
import { decodedPath } from '../requests/decoded-path.ts';
import { type RequestInfo, requestInfo } from '../requests/request-info.ts';
import type { User } from '../requests/user.ts';

/** One request as it came in, taken apart. */
export interface Exchange {
  readonly id: string;
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  /** Whether the path cannot be decoded. */
  readonly isMalformed: boolean;
  readonly url: string;
  readonly query: URLSearchParams;
  /** Undefined for what is no resource: discovery, health, version. */
  readonly info: RequestInfo | undefined;
  readonly user: User;
  readonly userAgent: string;
  readonly accept: string;
  readonly contentType: string;
  readonly gzip: boolean;
  readonly received: Date;
}

export const exchangeOf = (
  { method = 'GET', url = '/', headers }: IncomingMessage,
  received: Date,
): Exchange => {
  const [raw = '/', search = ''] = url.split('?', 2);
  const decoded = decodedPath(raw);
  const path = decoded ?? raw;
  const query = new URLSearchParams(search);
  return {
    id: randomUUID(),
    method,
    path,
    isMalformed: decoded === undefined,
    url,
    query,
    info: decoded === undefined ? undefined : requestInfo(method, path, query),
    user: nobody,
    userAgent: headers['user-agent'] ?? '',
    accept: headers.accept ?? '',
    contentType: contentTypeOf(method, headers['content-type'] ?? ''),
    gzip: /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')),
    received,
  };
};

/** Who asks before the token is read. */
const nobody: User = { username: '', groups: [] };

/** What a fault, an interceptor or the log knows a request by. */
export const aboutOf = ({ info, user, method }: Exchange): FaultTarget => ({
  verb: info?.verb ?? method.toLowerCase(),
  resource: info?.plural ?? '',
  group: info?.group ?? '',
  subresource: info?.subresource ?? '',
  namespace: info?.namespace ?? '',
  name: info?.name ?? '',
  user: user.username,
});
