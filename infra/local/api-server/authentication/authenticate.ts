import type { IncomingMessage } from 'node:http';
import { unauthorized } from '../errors/api-errors.ts';
import { ApiError } from '../errors/status.ts';
import { own } from '../json/own.ts';
import { foreignRefusal } from './foreign-request.ts';
import { administrator, type User } from './user.ts';

export type Tokens = Readonly<
  Record<string, { readonly username: string; readonly groups?: readonly string[] }>
>;

/** The caller: the user of the bearer token, or the local administrator without a token. */
export function authenticate({ headers }: IncomingMessage, tokens: Tokens): User {
  const { authorization } = headers;
  if (authorization === undefined) return administrator;
  const token = /^Bearer\s+(.+)$/i.exec(authorization)?.[1]?.trim();
  const known = token === undefined ? undefined : own(tokens, token);
  if (known === undefined) throw unauthorized();
  const groups = new Set([...(known.groups ?? []), 'system:authenticated']);
  return { username: known.username, groups: [...groups] };
}

/** Throws if a web page of another origin may have sent the request. */
export function assertLocal(request: IncomingMessage): void {
  const refusal = foreignRefusal(request);
  if (refusal === undefined) return;
  const { code, message } = refusal;
  throw new ApiError({ message, reason: 'Forbidden', details: {}, code });
}
