import type { IncomingMessage } from 'node:http';
import { unauthorized } from '../errors/errors.ts';
import { ApiError } from '../errors/status.ts';
import { administrator, type User } from '../requests/user.ts';

export type Tokens = Readonly<
  Record<string, { readonly username: string; readonly groups?: readonly string[] }>
>;

/** Who asks: the user of the bearer token, or the local administrator without one. */
export const authenticate = ({ headers }: IncomingMessage, tokens: Tokens): User => {
  const { authorization } = headers;
  if (authorization === undefined) return administrator;
  const token = /^Bearer\s+(.+)$/i.exec(authorization)?.[1]?.trim();
  const known = token === undefined ? undefined : tokens[token];
  if (known === undefined) throw unauthorized();
  const groups = new Set([...(known.groups ?? []), 'system:authenticated']);
  return { username: known.username, groups: [...groups] };
};

const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Refuses a request that does not name this machine: a page elsewhere cannot reach the server by a made-up name. */
export const assertLocal = ({ headers }: IncomingMessage): void => {
  if (headers.host !== undefined && LOCAL.test(headers.host)) return;
  throw new ApiError({
    message: 'the local cluster answers to 127.0.0.1, localhost and [::1] only',
    reason: 'Forbidden',
    details: {},
    code: 403,
  });
};
